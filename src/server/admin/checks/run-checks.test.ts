import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../../tests/support/test-app.ts'
import { AppError } from '../../errors.ts'
import { type Check, ok, type RequestInfo } from './check.ts'
import { runChecks } from './run-checks.ts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app.close())

const request: RequestInfo = {
  host: 'localhost',
  scheme: null,
  isForwarded: false,
  isProxied: false,
  isTrusted: false,
}

function run(list: Check[], timeoutMs?: number) {
  const deps = { ...app.deps, startedAt: app.clock() }
  return runChecks(deps, request, timeoutMs === undefined ? { list } : { list, timeoutMs })
}

it('reports a check that throws, rejects or hangs on its own line and runs the others', async () => {
  const lines = await run(
    [
      { name: 'First', run: () => [ok('Fine.')] },
      {
        name: 'Throws',
        run: () => {
          throw new Error('broken\nin two lines')
        },
      },
      {
        name: 'Rejects',
        run: () => Promise.reject(new AppError('UNAVAILABLE', { cause: new Error('away') })),
      },
      { name: 'Hangs', run: () => new Promise(() => {}) },
      {
        name: 'Last',
        run: async () => [
          { about: 'one', ...ok('Fine.') },
          { about: 'two', ...ok('Fine.') },
        ],
      },
      { name: 'Unused', run: () => [] },
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
  for (const { cure } of lines.slice(1, 4)) expect(cure).toContain('a check failed to run')
  const failures = app.logLines.filter(({ msg }) => msg === 'a check failed to run')
  expect(failures.map(({ check }) => check).toSorted()).toEqual(['Hangs', 'Rejects', 'Throws'])
})

it('runs checks in parallel', async () => {
  let runningCheckCount = 0
  const bothRunning = Promise.withResolvers<void>()
  const waitForBoth = async () => {
    runningCheckCount += 1
    if (runningCheckCount === 2) bothRunning.resolve()
    await bothRunning.promise
    return [ok('Fine.')]
  }
  const lines = await run([
    { name: 'One', run: waitForBoth },
    { name: 'Other', run: waitForBoth },
  ])
  expect(lines.map(({ status }) => status)).toEqual(['ok', 'ok'])
})

it('exposes no values of a failed query', async () => {
  const [line] = await run([
    {
      name: 'Query',
      run: async () => {
        await app.deps.db.execute(`select 'a secret'::int`)
        return []
      },
    },
  ])
  expect(line?.status).toBe('failing')
  expect(line?.message).toContain('invalid input syntax')
  expect(JSON.stringify(line)).not.toContain('a secret')
})
