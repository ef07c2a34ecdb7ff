import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../../tests/support/test-app.ts'
import { AppError } from '../../errors.ts'
import { type Check, ok, type Visit } from './check.ts'
import { runChecks } from './run-checks.ts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app.close())

const visit: Visit = { host: 'localhost', scheme: null, isForwarded: false, isProxied: false }

function run(list: Check[], limit?: number) {
  const deps = { ...app.deps, startedAt: app.clock() }
  return runChecks(deps, visit, limit === undefined ? { list } : { list, limit })
}

it('goes on where a check throws, rejects or hangs, and says so in the line of that check', async () => {
  const lines = await run(
    [
      { name: 'First', look: () => [ok('Fine.')] },
      {
        name: 'Throws',
        look: () => {
          throw new Error('broken\nin two lines')
        },
      },
      {
        name: 'Rejects',
        look: () => Promise.reject(new AppError('UNAVAILABLE', { cause: new Error('away') })),
      },
      { name: 'Hangs', look: () => new Promise(() => {}) },
      {
        name: 'Last',
        look: async () => [
          { about: 'one', ...ok('Fine.') },
          { about: 'two', ...ok('Fine.') },
        ],
      },
      { name: 'Unused', look: () => [] },
    ],
    50,
  )
  expect(lines.map(({ name, status }) => [name, status])).toEqual([
    ['First', 'ok'],
    ['Throws', 'failing'],
    ['Rejects', 'failing'],
    ['Hangs', 'failing'],
    ['Last: one', 'ok'],
    ['Last: two', 'ok'],
  ])
  expect(lines.map(({ message }) => message).slice(1, 4)).toEqual([
    'This could not be checked: broken in two lines.',
    'This could not be checked: away.',
    'This could not be checked: not done within 50 ms.',
  ])
  for (const { cure } of lines.slice(1, 4)) expect(cure).toContain('a check could not be made')
  const said = app.logged.filter(({ msg }) => msg === 'a check could not be made')
  expect(said.map(({ check }) => check).toSorted()).toEqual(['Hangs', 'Rejects', 'Throws'])
})

it('runs them side by side', async () => {
  let running = 0
  const both = Promise.withResolvers<void>()
  const look = async () => {
    running += 1
    if (running === 2) both.resolve()
    await both.promise
    return [ok('Fine.')]
  }
  const lines = await run([
    { name: 'One', look },
    { name: 'Other', look },
  ])
  expect(lines.map(({ status }) => status)).toEqual(['ok', 'ok'])
})

it('shows no value of a failed query', async () => {
  const [line] = await run([
    {
      name: 'Query',
      look: async () => {
        await app.deps.db.execute(`select 'a secret'::int`)
        return []
      },
    },
  ])
  expect(line?.status).toBe('failing')
  expect(line?.message).toContain('invalid input syntax')
  expect(JSON.stringify(line)).not.toContain('a secret')
})
