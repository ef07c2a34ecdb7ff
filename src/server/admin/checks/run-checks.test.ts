import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../../tests/support/test-app.ts'
import { minuteInMs } from '../../../shared/rules/format/units.ts'
import { AppError } from '../../errors.ts'
import { type Check, ok, type Visit } from './check.ts'
import { type ChecksCall, ChecksRunner, runChecks } from './run-checks.ts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app.close())

const visit: Visit = {
  host: 'localhost',
  scheme: null,
  isForwarded: false,
  isProxied: false,
  isTrusted: false,
}

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

describe('several calls', () => {
  /** Makes a runner of one check that ends when the test says so. */
  const openRunner = () => {
    const gates: (() => void)[] = []
    const look = async () => {
      await new Promise<void>((open) => gates.push(open))
      return [ok(`Run ${gates.length}.`)]
    }
    const deps = { ...app.deps, startedAt: app.clock() }
    const runner = new ChecksRunner(deps, [{ name: 'Slow', look }])
    const read = (changes: Partial<ChecksCall> = {}) =>
      runner.read({ visit, lastAct: null, ...changes }).then(([line]) => line?.message)
    /** Waits for a run, counted from 1, and ends it. */
    const end = async (run: number) => {
      await expect.poll(() => gates.length).toBe(run)
      gates[run - 1]?.()
    }
    return { read, end, begun: () => gates.length }
  }

  it('share a run that goes on, unless they want fresh lines: these share the next run', async () => {
    const { read, end, begun } = openRunner()
    const first = read()
    await expect.poll(begun).toBe(1)
    // However long it takes, no second run is started beside it.
    app.clock.advance(minuteInMs)
    const later = [read(), read({ isFresh: true }), read({ isFresh: true }), read({ lastAct: 7 })]
    // Another visit may have other results, so it gets a third run.
    const elsewhere = read({ visit: { ...visit, host: 'example.org' } })
    await end(1)
    await end(2)
    expect(await Promise.all([first, ...later])).toEqual([
      'Run 1.',
      'Run 1.',
      'Run 2.',
      'Run 2.',
      'Run 2.',
    ])
    await end(3)
    expect(await elsewhere).toBe('Run 3.')
    expect(begun()).toBe(3)
  })

  it('get the lines of the last run while they are young and nothing was done since', async () => {
    const { read, end, begun } = openRunner()
    const first = read({ lastAct: 7 })
    await end(1)
    await first
    expect(await read({ lastAct: 7 })).toBe('Run 1.')
    const fresh = read({ lastAct: 7, isFresh: true })
    await end(2)
    expect(await fresh).toBe('Run 2.')
    const afterAct = read({ lastAct: 8 })
    const afterNextAct = read({ lastAct: 9 })
    await end(3)
    expect(await Promise.all([afterAct, afterNextAct])).toEqual(['Run 3.', 'Run 3.'])
    // The run began after both acts, so its lines are those of now.
    expect(await read({ lastAct: 9 })).toBe('Run 3.')
    expect(begun()).toBe(3)
  })
})
