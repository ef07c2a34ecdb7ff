import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { refusal } from '../../../../tests/support/upload-facts.ts'
import {
  afterFailure,
  type Circumstances,
  type Decision,
  type FailedTry,
  failureOf,
  mayPass,
  noTries,
  showsServer,
  stallLimitMs,
  type Tries,
  uploadLimit,
  verdictOn,
} from './retry-policy.ts'
import type { StorageAnswer } from './storage-request.ts'

function answered(
  status: number,
  code: string | null = null,
  changes: { retryAfterMs?: number; uploadOffset?: number } = {},
): StorageAnswer {
  return {
    kind: 'answer',
    status,
    code,
    uploadOffset: null,
    retryAfterMs: null,
    ...changes,
  }
}
const network: StorageAnswer = { kind: 'network' }
function put(answer: StorageAnswer, progress?: FailedTry['progress']): FailedTry {
  return {
    request: 'put',
    answer,
    progress,
  }
}
function call(answer: StorageAnswer): FailedTry {
  return { request: 'call', answer }
}
const now: Circumstances = { isOnline: true, isServerReady: true, random: 0, limit: uploadLimit }

/**
 * Returns what follows each of these failures: a wait in milliseconds, or the end of the upload.
 */
function follow(all: readonly FailedTry[], circumstances: Partial<Circumstances> = {}) {
  let tries = noTries
  return all.map((failed) => {
    const decision = afterFailure(tries, failed, { ...now, ...circumstances })
    if (decision.kind !== 'retry') return decision.kind
    tries = decision.tries
    return decision.waitMs
  })
}
function times<T>(count: number, value: T): T[] {
  return Array.from({ length: count }, () => value)
}

/**
 * Each row is a failed attempt.
 * - `first`: what follows the first such failure, a wait in seconds or the end.
 * - `asks`: true when storage is asked whether it has the bytes before they are sent again.
 * - `last`: after how many consecutive failures the upload ends while the server is ready; null if
 *   it does not end.
 */
const table: [
  FailedTry,
  string,
  { first: number | string; asks?: boolean; last: number | null },
][] = [
  [put(network), 'the connection is lost', { first: 3, asks: true, last: 8 }],
  [put({ kind: 'timeout' }), 'ten minutes are over', { first: 3, asks: true, last: 8 }],
  [put({ kind: 'stalled' }), 'nothing leaves any more', { first: 3, asks: true, last: 8 }],
  [put(answered(408)), 'the server waited too long', { first: 3, asks: true, last: 8 }],
  [put(answered(400, 'RequestTimeout')), 'the same of a bucket', { first: 3, asks: true, last: 8 }],
  [put(answered(400, 'IncompleteBody')), 'cut short', { first: 3, asks: true, last: 8 }],
  [put(answered(400, 'UPLOAD_INCOMPLETE')), 'cut short', { first: 3, asks: true, last: 8 }],
  [put(answered(409, 'UPLOAD_SUPERSEDED')), 'a newer one', { first: 3, asks: true, last: 8 }],
  [put(answered(500)), 'the server fails', { first: 3, asks: true, last: 8 }],
  [put(answered(502)), 'a proxy has no server', { first: 3, asks: true, last: 8 }],
  [put(answered(504)), 'a proxy waited too long', { first: 3, asks: true, last: 8 }],
  [put(answered(507)), 'its disk is full', { first: 3, asks: true, last: 8 }],
  [put(answered(522)), 'a network in between has no server', { first: 3, asks: true, last: 8 }],
  [put(answered(425)), 'too early', { first: 3, last: 8 }],
  [put(answered(429)), 'too many requests', { first: 3, last: 8 }],
  [put(answered(503)), 'not available', { first: 3, asks: true, last: 8 }],
  [put(answered(429, null, { retryAfterMs: 20_000 })), 'busy', { first: 20, last: null }],
  [put(answered(503, null, { retryAfterMs: 1000 })), 'busy', { first: 3, last: null }],
  [put(answered(503, null, { retryAfterMs: 86_400_000 })), 'busy', { first: 60, last: null }],
  [
    put(answered(503, 'UNAVAILABLE', { retryAfterMs: 5000 })),
    'it stops',
    { first: 5, asks: true, last: 8 },
  ],
  [
    put(answered(503, 'DISK_FULL', { retryAfterMs: 60_000 })),
    'full',
    { first: 60, asks: true, last: 8 },
  ],
  [put(answered(409, 'CHECKSUM_MISMATCH')), 'arrived altered', { first: 3, last: 6 }],
  [put(answered(400, 'BadDigest')), 'altered, says a bucket', { first: 3, last: 6 }],
  [put(answered(400, 'XAmzContentChecksumMismatch')), 'the same', { first: 3, last: 6 }],
  [put(answered(403, 'SIGNATURE_EXPIRED')), 'the URL has run out', { first: 0, last: 6 }],
  [put(answered(416, null, { uploadOffset: 7 })), 'another offset', { first: 0, last: 6 }],
  [put(answered(416)), 'a range that nobody knows', { first: 'give-up', last: 1 }],
  [put(answered(401)), 'storage wants a sign-in', { first: 'give-up', last: 1 }],
  [put(answered(404, 'NoSuchUpload')), 'no such upload', { first: 'give-up', last: 1 }],
  [put(answered(410)), 'no such upload any more', { first: 'give-up', last: 1 }],
  [put(answered(400)), 'not understood', { first: 'give-up', last: 1 }],
  [put(answered(409, 'SIZE_MISMATCH')), 'another size', { first: 'give-up', last: 1 }],
  [put(answered(413)), 'too large', { first: 'give-up', last: 1 }],
  [put(answered(501)), 'no such method', { first: 'give-up', last: 1 }],
  [put(answered(201)), 'no answer of a storage', { first: 'give-up', last: 1 }],
  [put(answered(301)), 'moved', { first: 'give-up', last: 1 }],
  [call(network), 'a call is not answered', { first: 3, last: 8 }],
  [call(answered(408)), 'a call waited too long', { first: 3, last: 8 }],
  [call(answered(500)), 'a call fails', { first: 3, last: 8 }],
  [call(answered(503)), 'a call, not available', { first: 3, last: 8 }],
  [call(answered(429, null, { retryAfterMs: 5000 })), 'too many calls', { first: 5, last: null }],
  [call(answered(503, 'UNAVAILABLE', { retryAfterMs: 5000 })), 'away', { first: 5, last: 8 }],
  [call(answered(401)), 'the session has lapsed', { first: 'give-up', last: 1 }],
  [call(answered(403)), 'not allowed', { first: 'give-up', last: 1 }],
  [call(answered(404)), 'a call: no such upload', { first: 'give-up', last: 1 }],
  [call(answered(409, 'CHECKSUM_MISMATCH')), 'another SHA-256', { first: 'give-up', last: 1 }],
  [call(answered(400, 'UPLOAD_INCOMPLETE')), 'not all there', { first: 'give-up', last: 1 }],
]

describe('the table', () => {
  test.each(table)('%j: %s', (failed, _, { first, asks = false, last }) => {
    const decision = afterFailure(noTries, failed, now)
    const result = decision.kind === 'retry' ? decision.waitMs / 1000 : decision.kind
    expect(result).toBe(first)
    if (decision.kind === 'retry') expect(decision.tries.askStorage).toBe(asks)
    const end = follow(times(100, failed)).indexOf('give-up')
    expect(end).toBe(last === null ? -1 : last - 1)
  })

  test.each([200, 204])('%i: the bytes are there', (status) => {
    expect(verdictOn(put(answered(status)))).toBe('stored')
  })

  test('409 UPLOAD_SEALED: an earlier confirm found everything there', () => {
    expect(verdictOn(put(answered(409, 'UPLOAD_SEALED')))).toBe('stored')
  })
})

describe('the waits', () => {
  test('grow from 3 s to 30 s', () => {
    expect(follow(times(8, put(network)))).toEqual([
      3000,
      6000,
      12_000,
      24_000,
      30_000,
      30_000,
      30_000,
      'give-up',
    ])
  })

  test.each([
    [0, 3000],
    [0.5, 3450],
    [1, 3900],
  ])('are spread by chance (%f)', (random, waitMs) => {
    expect(follow([put(network)], { random })).toEqual([waitMs])
  })

  test('begin anew with what got further, and go on growing where only others did', () => {
    expect(follow(times(20, put(network, 'here')))).toEqual(times(20, 3000))
    const others = follow(times(30, put(answered(500), 'elsewhere')))
    expect(others).not.toContain('give-up')
    expect(others.at(-1)).toBe(30_000)
  })

  test('a body that stalls gets twice the time each time, up to the time-out', () => {
    expect([0, 1, 2, 3, 4, 5, 50].map((stalled) => stallLimitMs(stalled) / 1000)).toEqual([
      30, 60, 120, 240, 480, 600, 600,
    ])
  })
})

describe('a server that is asked whether it is ready', () => {
  const decide = (tries: Partial<Tries>, isServerReady: boolean | null, failed = put(network)) =>
    afterFailure({ ...noTries, ...tries }, failed, { ...now, isServerReady })

  test('is asked before the last two tries only', () => {
    for (const withoutProgress of [0, 1, 5]) {
      expect(decide({ withoutProgress }, null).kind).toBe('retry')
    }
    for (const withoutProgress of [6, 7]) {
      expect(decide({ withoutProgress }, null).kind).toBe('ask-server')
    }
  })

  test('is not asked after what says nothing about it', () => {
    for (const answer of [answered(409, 'CHECKSUM_MISMATCH'), answered(403)]) {
      expect(decide({ withoutProgress: 7, refused: 1 }, null, put(answer)).kind).toBe('give-up')
    }
  })

  test('and is ready ends it with the eighth try', () => {
    expect(decide({ withoutProgress: 6 }, true).kind).toBe('retry')
    expect(decide({ withoutProgress: 7 }, true).kind).toBe('give-up')
  })

  test.each([network, { kind: 'timeout' } as const, { kind: 'stalled' } as const, answered(503)])(
    'and is away is waited for however long it takes (%o)',
    (last) => {
      const all = follow(times(200, put(last)), { isServerReady: false })
      expect(all.slice(0, 6)).toEqual([3000, 6000, 12_000, 24_000, 30_000, 30_000])
      expect(new Set(all.slice(4))).toEqual(new Set([30_000]))
    },
  )

  test('must have been ready before and after the very last try', () => {
    const outcome = (ready: readonly boolean[]) => {
      let tries: Tries = { ...noTries, withoutProgress: 6 }
      for (const isServerReady of ready) {
        const decision: Decision = decide(tries, isServerReady)
        if (decision.kind !== 'retry') return decision.kind
        tries = decision.tries
      }
      return 'goes on'
    }
    expect(outcome([false, false, true, true])).toBe('give-up')
    expect(outcome([true, false, true, false, true, false])).toBe('goes on')
  })

  test.each([404, 401, 413])('does not matter after %i', (status) => {
    expect(follow([put(answered(status))], { isServerReady: false })).toEqual(['give-up'])
  })

  test.each([401, 403, 404, 429])('is there where a proxy answers %i in its place', (status) => {
    expect(showsServer({ ok: false, refusal: refusal(status) })).toBe(true)
  })

  test.each([null, 500, 502, 503, 504])('is away with %s, whoever answers', (status) => {
    expect(showsServer({ ok: false, refusal: refusal(status) })).toBe(false)
  })

  test('is there when it is ready', () => {
    expect(showsServer({ ok: true, value: {} })).toBe(true)
  })
})

describe('without patience', () => {
  const impatient = { limit: { maxTries: 3, isPatient: false }, isServerReady: null }

  test.each([
    ['no answer', network],
    ['a busy server', answered(503, null, { retryAfterMs: 4000 })],
  ])('%s ends it after the tries that it is given, and nobody is asked', (_, last) => {
    const all = follow(times(3, call(last)), impatient)
    expect(all.map((one) => typeof one)).toEqual(['number', 'number', 'string'])
    expect(all[2]).toBe('give-up')
  })

  test('and without a limit it never ends', () => {
    const limit = { maxTries: Number.POSITIVE_INFINITY, isPatient: false }
    expect(follow(times(500, call(network)), { limit })).not.toContain('give-up')
  })
})

test('offline nothing is counted, and what was counted is forgotten', () => {
  const offline = follow(times(100, put(network)), { isOnline: false })
  expect(new Set(offline)).toEqual(new Set([3000]))
  const tries = { ...noTries, failed: 7, withoutProgress: 7 }
  const decision = afterFailure(tries, put(network), { ...now, isOnline: false })
  expect(decision).toMatchObject({ kind: 'retry', tries: { failed: 0, withoutProgress: 0 } })
})

describe('a refused URL', () => {
  test('is replaced at once, and given up when fresh ones are refused again and again', () => {
    expect(follow(times(6, put(answered(403))))).toEqual([0, 3000, 6000, 12_000, 24_000, 'give-up'])
  })

  test('is forgotten when the next try goes wrong in another way', () => {
    const mixed = [403, 500, 403, 500, 403].map((status) => put(answered(status)))
    expect(follow(mixed)).toEqual([0, 3000, 0, 6000, 0])
  })
})

test('a body that arrives altered for the sixth time is given up, whatever others do', () => {
  const altered = put(answered(409, 'CHECKSUM_MISMATCH'), 'elsewhere')
  const mixed = times(11, altered).map((one, at) => (at % 2 ? put(network, 'elsewhere') : one))
  expect(follow(mixed).indexOf('give-up')).toBe(10)
})

test('storage is still to be asked after a call in between has failed', () => {
  const lost = afterFailure(noTries, put(network), now)
  const after = lost.kind === 'retry' ? afterFailure(lost.tries, call(answered(503)), now) : lost
  expect(after).toMatchObject({ kind: 'retry', tries: { askStorage: true } })
})

describe('whatever fails', () => {
  const answer = fc.oneof(
    fc.constantFrom<StorageAnswer>(network, { kind: 'timeout' }, { kind: 'stalled' }),
    fc.record({
      kind: fc.constant('answer' as const),
      status: fc.integer({ min: 100, max: 599 }),
      code: fc.constantFrom(null, 'BadDigest', 'UPLOAD_SUPERSEDED', 'SIZE_MISMATCH'),
      uploadOffset: fc.option(fc.nat()),
      retryAfterMs: fc.option(fc.nat(100_000_000)),
    }),
  )
  const failed = fc
    .record({
      request: fc.constantFrom('put' as const, 'call' as const),
      answer,
      progress: fc.constantFrom(undefined, 'here' as const, 'elsewhere' as const),
    })
    .filter((one) => verdictOn(one) !== 'stored')
  const circumstances = fc.record({
    isOnline: fc.boolean(),
    isServerReady: fc.boolean(),
    random: fc.double({ min: 0, max: 1, noNaN: true }),
    limit: fc.constantFrom(uploadLimit, { maxTries: 3, isPatient: false }),
  })

  test('the next try comes at once or after 3 to 78 seconds, and never too often at once', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(failed, circumstances), { maxLength: 40 }), (all) => {
        let tries = noTries
        let atOnce = 0
        for (const [one, around] of all) {
          const decision = afterFailure(tries, one, around)
          if (decision.kind === 'give-up') return
          if (decision.kind === 'ask-server') throw new Error('it was known')
          tries = decision.tries
          atOnce = decision.waitMs === 0 ? atOnce + 1 : 0
          if (one.progress !== 'here') expect(atOnce).toBeLessThanOrEqual(1)
          if (decision.waitMs === 0) continue
          expect(decision.waitMs).toBeGreaterThanOrEqual(3000)
          expect(decision.waitMs).toBeLessThanOrEqual(78_000)
        }
      }),
    )
  })

  test('while the server is ready it ends, unless something is stored or the server names a time', () => {
    fc.assert(
      fc.property(fc.array(failed, { minLength: 60, maxLength: 60 }), (all) => {
        const stuck = all
          .map((one) => ({ ...one, progress: undefined }))
          .filter(({ answer }) => answer.kind !== 'answer' || answer.retryAfterMs === null)
        fc.pre(stuck.length >= 20)
        expect(follow(stuck)).toContain('give-up')
      }),
    )
  })

  test('it is decided without the server only where that cannot matter', () => {
    fc.assert(
      fc.property(fc.nat(20), failed, circumstances, (withoutProgress, one, around) => {
        const tries = { ...noTries, withoutProgress }
        const unknown = afterFailure(tries, one, { ...around, isServerReady: null })
        if (unknown.kind === 'ask-server') return
        for (const isServerReady of [true, false]) {
          expect(afterFailure(tries, one, { ...around, isServerReady })).toEqual(unknown)
        }
      }),
    )
  })
})

test.each([
  [put(network), { kind: 'network', status: null }],
  [put({ kind: 'stalled' }), { kind: 'network', status: null }],
  [put({ kind: 'timeout' }), { kind: 'timeout', status: null }],
  [put(answered(500)), { kind: 'status', status: 500 }],
  [put(answered(503, 'DISK_FULL')), { kind: 'disk-full', status: 503 }],
  [put(answered(404)), { kind: 'gone', status: 404 }],
  [put(answered(401)), { kind: 'status', status: 401 }],
  [call(answered(401)), { kind: 'signed-out', status: 401 }],
  [call(answered(403)), { kind: 'status', status: 403 }],
  [call(answered(404)), { kind: 'gone', status: 404 }],
])('the last failure %j names the end', (last, failure) => {
  expect(failureOf(last)).toMatchObject(failure)
})

test('a call may be made again after what passes', () => {
  for (const status of [null, 408, 425, 429, 500, 502, 503, 504]) {
    expect(mayPass({ status })).toBe(true)
  }
  for (const status of [400, 401, 403, 404, 409, 501]) expect(mayPass({ status })).toBe(false)
})
