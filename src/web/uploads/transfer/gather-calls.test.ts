import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { maxBatchLength } from '../../../shared/contract/batch.ts'
import { browserTimers } from '../timers.ts'
import type { CallError, Outcome } from '../upload-errors.ts'
import { type BatchCall, gatherCalls } from './gather-calls.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

const { signal: never } = new AbortController()

function refused(callError: Partial<CallError>): Outcome<never> {
  return { ok: false, error: { status: null, code: null, message: null, ...callError } }
}

/** A server that answers each input with itself. `sent` contains the inputs of each request. */
function openServer() {
  const server = {
    sent: [] as string[][],
    onBatch: (inputs: string[]): ReturnType<BatchCall<string, string>> =>
      Promise.resolve({
        ok: true,
        value: { results: inputs.map((response) => ({ answer: response })) },
      }),
  }
  const call = gatherCalls<string, string>(browserTimers, (inputs) => {
    server.sent.push(inputs)
    return server.onBatch(inputs)
  })
  return Object.assign(server, { call })
}

function callAll(server: ReturnType<typeof openServer>, inputs: readonly string[]) {
  return inputs.map((input) => server.call(input, never))
}

test('concurrent calls share a request, and each gets its own answer', async () => {
  const server = openServer()
  const answers = callAll(server, ['a', 'b'])
  await vi.advanceTimersByTimeAsync(30)
  answers.push(server.call('c', never))
  expect(server.sent).toEqual([])
  await vi.advanceTimersByTimeAsync(20)
  answers.push(server.call('d', never))
  await vi.advanceTimersByTimeAsync(50)
  expect(server.sent).toEqual([['a', 'b', 'c'], ['d']])
  const values = ['a', 'b', 'c', 'd'].map((value) => ({ ok: true, value }))
  expect(await Promise.all(answers)).toEqual(values)
})

test('a full batch is sent immediately', async () => {
  const server = openServer()
  const inputs = Array.from({ length: maxBatchLength + 2 }, (_, at) => `${at}`)
  callAll(server, inputs)
  expect(server.sent).toEqual([inputs.slice(0, maxBatchLength)])
  await vi.advanceTimersByTimeAsync(50)
  expect(server.sent[1]).toEqual(inputs.slice(maxBatchLength))
})

test("a refused entry doesn't affect the others", async () => {
  const server = openServer()
  const error = { httpStatus: 503, code: 'DISK_FULL', message: 'Full.', retryAfterSeconds: 60 }
  server.onBatch = async () => ({ ok: true, value: { results: [{ error }, { answer: 'b' }] } })
  const answers = callAll(server, ['a', 'b', 'missing'])
  await vi.advanceTimersByTimeAsync(50)
  expect(await Promise.all(answers)).toEqual([
    refused({ status: 503, code: 'DISK_FULL', message: 'Full.', retryAfterMs: 60_000 }),
    { ok: true, value: 'b' },
    refused({}),
  ])
})

test.each([null, 401, 429, 503])('%s fails every call of the batch', async (status) => {
  const server = openServer()
  server.onBatch = async () => refused({ status })
  const answers = callAll(server, ['a', 'b'])
  await vi.advanceTimersByTimeAsync(50)
  expect(await Promise.all(answers)).toEqual([refused({ status }), refused({ status })])
})

test('an aborted call ends immediately, before and after it was sent', async () => {
  const server = openServer()
  server.onBatch = () => new Promise(() => {})
  const ends = [new AbortController(), new AbortController()]
  const [early, late] = ends.map(({ signal }, at) => server.call(`${at}`, signal))
  ends[0]?.abort()
  expect(await early).toEqual(refused({}))
  await vi.advanceTimersByTimeAsync(50)
  expect(server.sent).toEqual([['1']])
  ends[1]?.abort()
  expect(await late).toEqual(refused({}))
})
