import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { maxBatchLength } from '../../../shared/contract/batch.ts'
import { browserTimers } from '../timers.ts'
import type { CallError, Outcome } from '../upload-errors.ts'
import { type BatchCall, batchCalls } from './batch-calls.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

const { signal: neverAborted } = new AbortController()

function makeFailedOutcome(callError: Partial<CallError>): Outcome<never> {
  return { ok: false, error: { status: null, code: null, message: null, ...callError } }
}

/** A server that returns each input as its result. `sent` records the inputs of each request. */
function createFakeServer() {
  const server = {
    sent: [] as string[][],
    onBatch: (inputs: string[]): ReturnType<BatchCall<string, string>> =>
      Promise.resolve({
        ok: true,
        value: { results: inputs.map((response) => ({ answer: response })) },
      }),
  }
  const call = batchCalls<string, string>(browserTimers, (inputs) => {
    server.sent.push(inputs)
    return server.onBatch(inputs)
  })
  return Object.assign(server, { call })
}

function callAll(server: ReturnType<typeof createFakeServer>, inputs: readonly string[]) {
  return inputs.map((input) => server.call(input, neverAborted))
}

test('concurrent calls share a request, and each gets its own result', async () => {
  const server = createFakeServer()
  const outcomePromises = callAll(server, ['a', 'b'])
  await vi.advanceTimersByTimeAsync(30)
  outcomePromises.push(server.call('c', neverAborted))
  expect(server.sent).toEqual([])
  await vi.advanceTimersByTimeAsync(20)
  outcomePromises.push(server.call('d', neverAborted))
  await vi.advanceTimersByTimeAsync(50)
  expect(server.sent).toEqual([['a', 'b', 'c'], ['d']])
  const values = ['a', 'b', 'c', 'd'].map((value) => ({ ok: true, value }))
  expect(await Promise.all(outcomePromises)).toEqual(values)
})

test('a full batch is sent immediately', async () => {
  const server = createFakeServer()
  const inputs = Array.from({ length: maxBatchLength + 2 }, (_, index) => `${index}`)
  callAll(server, inputs)
  expect(server.sent).toEqual([inputs.slice(0, maxBatchLength)])
  await vi.advanceTimersByTimeAsync(50)
  expect(server.sent[1]).toEqual(inputs.slice(maxBatchLength))
})

test("a rejected entry doesn't affect the others", async () => {
  const server = createFakeServer()
  const error = { httpStatus: 503, code: 'DISK_FULL', message: 'Full.', retryAfterSeconds: 60 }
  server.onBatch = async () => ({ ok: true, value: { results: [{ error }, { answer: 'b' }] } })
  const outcomePromises = callAll(server, ['a', 'b', 'missing'])
  await vi.advanceTimersByTimeAsync(50)
  expect(await Promise.all(outcomePromises)).toEqual([
    makeFailedOutcome({ status: 503, code: 'DISK_FULL', message: 'Full.', retryAfterMs: 60_000 }),
    { ok: true, value: 'b' },
    makeFailedOutcome({}),
  ])
})

test.each([null, 401, 429, 503])('%s fails every call of the batch', async (status) => {
  const server = createFakeServer()
  server.onBatch = async () => makeFailedOutcome({ status })
  const outcomePromises = callAll(server, ['a', 'b'])
  await vi.advanceTimersByTimeAsync(50)
  expect(await Promise.all(outcomePromises)).toEqual([
    makeFailedOutcome({ status }),
    makeFailedOutcome({ status }),
  ])
})

test('an aborted call ends immediately, even after it was sent', async () => {
  const server = createFakeServer()
  server.onBatch = () => new Promise(() => {})
  const controllers = [new AbortController(), new AbortController()]
  const [early, late] = controllers.map(({ signal }, index) => server.call(`${index}`, signal))
  controllers[0]?.abort()
  expect(await early).toEqual(makeFailedOutcome({}))
  await vi.advanceTimersByTimeAsync(50)
  expect(server.sent).toEqual([['1']])
  controllers[1]?.abort()
  expect(await late).toEqual(makeFailedOutcome({}))
})
