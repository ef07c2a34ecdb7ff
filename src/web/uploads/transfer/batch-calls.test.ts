import { expect, test } from 'vitest'
import { maxBatchLength } from '../../../shared/contract/batch.ts'
import type { CallError, Outcome } from '../upload-errors.ts'
import { batchCalls, type SendBatch } from './batch-calls.ts'

const { signal: neverAborted } = new AbortController()

function makeFailedOutcome(callError: Partial<CallError>): Outcome<never> {
  return { ok: false, error: { status: null, code: null, message: null, ...callError } }
}

type Send = SendBatch<string, string>

const echo: Send = async (inputs) => ({
  ok: true,
  value: { results: inputs.map((input) => ({ answer: input })) },
})

/** A server whose first request waits for `release`. `sent` records the inputs of each request. */
function createFakeServer(respond: Send = echo) {
  const gate = Promise.withResolvers<void>()
  const sent: string[][] = []
  const signals: AbortSignal[] = []
  const call = batchCalls<string, string>(async (inputs, signal) => {
    sent.push(inputs)
    signals.push(signal)
    if (sent.length === 1) await gate.promise
    return respond(inputs, signal)
  })
  return { call, sent, signals, release: gate.resolve }
}

test('the first call is sent at once, and those in the meantime share the next request', async () => {
  const { call, sent, release } = createFakeServer()
  const outcomes = ['a', 'b', 'c'].map((input) => call(input, neverAborted))
  expect(sent).toEqual([['a']])
  release()
  expect(await Promise.all(outcomes)).toEqual(['a', 'b', 'c'].map((value) => ({ ok: true, value })))
  expect(sent).toEqual([['a'], ['b', 'c']])
})

test('a request has no more inputs than the server accepts', async () => {
  const { call, sent, release } = createFakeServer()
  const inputs = Array.from({ length: maxBatchLength + 2 }, (_, index) => `${index}`)
  const outcomes = inputs.map((input) => call(input, neverAborted))
  release()
  await Promise.all(outcomes)
  expect(sent.map(({ length }) => length)).toEqual([1, maxBatchLength, 1])
})

test("a rejected entry doesn't affect the others", async () => {
  const error = { httpStatus: 503, code: 'DISK_FULL', message: 'Full.', retryAfterSeconds: 60 }
  const { call, release } = createFakeServer(async (inputs) => ({
    ok: true,
    value: { results: inputs.length === 1 ? [{ answer: 'a' }] : [{ error }, { answer: 'c' }] },
  }))
  const outcomes = ['a', 'b', 'c', 'missing'].map((input) => call(input, neverAborted))
  release()
  expect(await Promise.all(outcomes)).toEqual([
    { ok: true, value: 'a' },
    makeFailedOutcome({ status: 503, code: 'DISK_FULL', message: 'Full.', retryAfterMs: 60_000 }),
    { ok: true, value: 'c' },
    makeFailedOutcome({}),
  ])
})

test.each([null, 401, 429, 503])('%s fails every call of the request', async (status) => {
  const { call, release } = createFakeServer(async () => makeFailedOutcome({ status }))
  const outcomes = ['a', 'b', 'c'].map((input) => call(input, neverAborted))
  release()
  expect(await Promise.all(outcomes)).toEqual(
    ['a', 'b', 'c'].map(() => makeFailedOutcome({ status })),
  )
})

test('an aborted call ends immediately, and its request once all its calls are aborted', async () => {
  const { call, sent, signals, release } = createFakeServer()
  const stops = ['a', 'b', 'c'].map(() => new AbortController())
  const [first, early, late] = stops.map(({ signal }, index) => call(`${index}`, signal))
  stops[1]?.abort()
  expect(await early).toEqual(makeFailedOutcome({}))
  release()
  expect(await first).toEqual({ ok: true, value: '0' })
  expect(await late).toEqual({ ok: true, value: '2' })
  expect(sent).toEqual([['0'], ['1', '2']])
  stops[0]?.abort()
  expect(signals.map(({ aborted }) => aborted)).toEqual([true, false])
})
