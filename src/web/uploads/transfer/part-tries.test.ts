import { describe, expect, test } from 'vitest'
import { maxFruitlessTries } from './next-step.ts'
import { afterFailedTry, mayHaveArrived, noTries, type Surroundings } from './part-tries.ts'
import type { StorageAnswer } from './send.ts'

const answer = (status: number, code: string | null = null) =>
  ({ kind: 'answer', status, code, uploadOffset: null, retryAfterMs: null }) satisfies StorageAnswer
const network: StorageAnswer = { kind: 'network' }
const around: Surroundings = { online: true, stored: 0, random: 0 }

/** What the answers lead to, one after another. */
const follow = (answers: readonly StorageAnswer[], surroundings: readonly Surroundings[] = []) => {
  let tries = noTries
  return answers.map((one, at) => {
    const after = afterFailedTry(tries, one, surroundings[at] ?? around)
    tries = after.tries
    return after.next.kind === 'fail' ? 'fail' : after.next.waitMs
  })
}
const times = <T>(count: number, value: T): T[] => Array.from({ length: count }, () => value)

test('a part that keeps failing waits longer each time and is given up after eight tries', () => {
  expect(follow(times(maxFruitlessTries, network))).toEqual([
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

test('it is not given up while others are stored, and waits on', () => {
  const others = times(30, around).map((one, at) => ({ ...one, stored: at }))
  const all = follow(times(30, answer(500)), others)
  expect(all).not.toContain('fail')
  expect(all.at(-1)).toBe(30_000)
})

test('offline nothing is counted', () => {
  const offline = times(100, { ...around, online: false })
  expect(new Set(follow(times(100, network), offline))).toEqual(new Set([3000]))
})

describe('a refused signature', () => {
  test('is refreshed at once, and given up when fresh ones are refused again and again', () => {
    expect(follow(times(6, answer(403)))).toEqual([null, 3000, 6000, 12_000, 24_000, 'fail'])
  })

  test('is forgotten when the next try goes wrong in another way', () => {
    const mixed = [answer(403), answer(500), answer(403), answer(500), answer(403)]
    expect(follow(mixed)).toEqual([null, 3000, null, 6000, null])
  })
})

test('a part that arrives altered for the sixth time is given up, whatever others do', () => {
  const altered = answer(409, 'CHECKSUM_MISMATCH')
  const others = times(11, around).map((one, at) => ({ ...one, stored: at }))
  const mixed = times(11, altered).map((one, at) => (at % 2 ? network : one))
  expect(follow(mixed, others).indexOf('fail')).toBe(10)
})

test.each([404, 410, 400, 401, 413])('%i is final', (status) => {
  expect(follow([answer(status)])).toEqual(['fail'])
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
