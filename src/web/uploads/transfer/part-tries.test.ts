import { describe, expect, test } from 'vitest'
import { maxFruitlessTries } from './fruitless-tries.ts'
import { afterFailedTry, mayHaveArrived, noTries, type Surroundings } from './part-tries.ts'
import type { StorageAnswer } from './send.ts'

const answer = (status: number, code: string | null = null) =>
  ({ kind: 'answer', status, code, uploadOffset: null, retryAfterMs: null }) satisfies StorageAnswer
const network: StorageAnswer = { kind: 'network' }
const around: Surroundings = {
  online: true,
  stored: 0,
  random: 0,
  isServerReady: async () => true,
}

/** What the answers lead to, one after another. */
const follow = async (
  answers: readonly StorageAnswer[],
  surroundings: readonly Surroundings[] = [],
) => {
  let tries = noTries
  const all: (number | 'fail' | null)[] = []
  for (const [at, one] of answers.entries()) {
    const after = await afterFailedTry(tries, one, surroundings[at] ?? around)
    tries = after.tries
    all.push(after.next.kind === 'fail' ? 'fail' : after.next.waitMs)
  }
  return all
}
const times = <T>(count: number, value: T): T[] => Array.from({ length: count }, () => value)

test('a part that keeps failing waits longer each time and is given up after eight tries', async () => {
  expect(await follow(times(maxFruitlessTries, network))).toEqual([
    3000,
    6000,
    12_000,
    24_000,
    30_000,
    30_000,
    30_000,
    'fail',
  ])
})

test('it is not given up while others are stored, and waits on', async () => {
  const others = times(30, around).map((one, at) => ({ ...one, stored: at }))
  const all = await follow(times(30, answer(500)), others)
  expect(all).not.toContain('fail')
  expect(all.at(-1)).toBe(30_000)
})

test('offline nothing is counted', async () => {
  const offline = times(100, { ...around, online: false })
  expect(new Set(await follow(times(100, network), offline))).toEqual(new Set([3000]))
})

describe('while the server is away', () => {
  const away = { ...around, isServerReady: async () => false }

  test.each([network, { kind: 'timeout' } as const, { kind: 'stalled' } as const, answer(503)])(
    '%o is never the end, and the waits stay at 30 s',
    async (last) => {
      const all = await follow(times(200, last), times(200, away))
      expect(all.slice(0, 6)).toEqual([3000, 6000, 12_000, 24_000, 30_000, 30_000])
      expect(new Set(all.slice(4))).toEqual(new Set([30_000]))
    },
  )

  test('what came back gets one more try, and is given up when that fails too', async () => {
    const back = [...times(50, away), ...times(2, around)]
    const all = await follow(times(52, network), back)
    expect(all.slice(-2)).toEqual([30_000, 'fail'])
  })

  test.each([404, 401, 413])('%i is final all the same', async (status) => {
    expect(await follow([answer(status)], [away])).toEqual(['fail'])
  })
})

test('the server is asked after the last two tries only', async () => {
  const asked: number[] = []
  const surroundings = times(maxFruitlessTries, around).map((one, at) => ({
    ...one,
    isServerReady: async () => asked.push(at + 1) > 0,
  }))
  await follow(times(maxFruitlessTries, network), surroundings)
  expect(asked).toEqual([7, 8])
})

describe('a refused signature', () => {
  test('is refreshed at once, and given up when fresh ones are refused again and again', async () => {
    expect(await follow(times(6, answer(403)))).toEqual([null, 3000, 6000, 12_000, 24_000, 'fail'])
  })

  test('is forgotten when the next try goes wrong in another way', async () => {
    const mixed = [answer(403), answer(500), answer(403), answer(500), answer(403)]
    expect(await follow(mixed)).toEqual([null, 3000, null, 6000, null])
  })
})

test('a part that arrives altered for the sixth time is given up, whatever others do', async () => {
  const altered = answer(409, 'CHECKSUM_MISMATCH')
  const others = times(11, around).map((one, at) => ({ ...one, stored: at }))
  const mixed = times(11, altered).map((one, at) => (at % 2 ? network : one))
  expect((await follow(mixed, others)).indexOf('fail')).toBe(10)
})

test.each([404, 410, 400, 401, 413])('%i is final', async (status) => {
  expect(await follow([answer(status)])).toEqual(['fail'])
})

test.each([
  [network, true],
  [{ kind: 'timeout' } as const, true],
  [{ kind: 'stalled' } as const, true],
  [answer(500), true],
  [answer(504), true],
  [answer(409, 'UPLOAD_SUPERSEDED'), true],
  [answer(503), false],
  [answer(429), false],
  [answer(403), false],
  [answer(409, 'CHECKSUM_MISMATCH'), false],
  [answer(200), false],
])('after %o storage has to be asked: %s', (last, expected) => {
  expect(mayHaveArrived(last)).toBe(expected)
})
