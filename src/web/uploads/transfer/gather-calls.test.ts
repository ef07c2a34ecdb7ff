import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { mostInBatch } from '../../../shared/contract/batch.ts'
import { browserTimers } from '../timers.ts'
import type { Outcome, Refusal } from '../upload-errors.ts'
import { type BatchCall, gatherCalls } from './gather-calls.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

const { signal: never } = new AbortController()

function refused(refusal: Partial<Refusal>): Outcome<never> {
  return { ok: false, refusal: { status: null, code: null, message: null, ...refusal } }
}

/** A server that answers each input with itself. `sent` has the inputs of each request. */
function openServer() {
  const server = {
    sent: [] as (string | string[])[],
    signals: [] as AbortSignal[],
    onBatch: (inputs: string[]): ReturnType<BatchCall<string, string>> =>
      Promise.resolve({ ok: true, value: { results: inputs.map((answer) => ({ answer })) } }),
  }
  const call = gatherCalls<string, string>(
    browserTimers,
    async (input) => {
      server.sent.push(input)
      return { ok: true, value: input }
    },
    (inputs, signal) => {
      server.sent.push(inputs)
      server.signals.push(signal)
      return server.onBatch(inputs)
    },
  )
  return Object.assign(server, { call })
}

function callAll(server: ReturnType<typeof openServer>, inputs: readonly string[]) {
  return inputs.map((input) => server.call(input, never))
}

test('calls of one moment go together, and each gets its own answer', async () => {
  const server = openServer()
  const answers = callAll(server, ['a', 'b'])
  await vi.advanceTimersByTimeAsync(30)
  answers.push(server.call('c', never))
  expect(server.sent).toEqual([])
  await vi.advanceTimersByTimeAsync(20)
  expect(server.sent).toEqual([['a', 'b', 'c']])
  expect(await Promise.all(answers)).toEqual(['a', 'b', 'c'].map((value) => ({ ok: true, value })))
})

test('a call that finds no other goes alone', async () => {
  const server = openServer()
  const answers = callAll(server, ['a'])
  await vi.advanceTimersByTimeAsync(50)
  answers.push(...callAll(server, ['b']))
  await vi.advanceTimersByTimeAsync(50)
  expect(server.sent).toEqual(['a', 'b'])
  expect(await Promise.all(answers)).toMatchObject([{ value: 'a' }, { value: 'b' }])
})

test('a full batch waits for nobody', async () => {
  const server = openServer()
  const inputs = Array.from({ length: mostInBatch + 2 }, (_, at) => `${at}`)
  callAll(server, inputs)
  expect(server.sent).toEqual([inputs.slice(0, mostInBatch)])
  await vi.advanceTimersByTimeAsync(50)
  expect(server.sent[1]).toEqual(inputs.slice(mostInBatch))
})

test('a refused entry refuses no other one', async () => {
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

test.each([null, 401, 429, 500, 503])('%s refuses each as it would alone', async (status) => {
  const server = openServer()
  server.onBatch = async () => refused({ status })
  const answers = callAll(server, ['a', 'b'])
  await vi.advanceTimersByTimeAsync(50)
  expect(await Promise.all(answers)).toEqual([refused({ status }), refused({ status })])
  expect(server.sent).toHaveLength(1)
})

test.each([400, 404, 405, 413])('where a batch is answered %i, each goes alone', async (status) => {
  const server = openServer()
  server.onBatch = async () => refused({ status })
  const answers = callAll(server, ['a', 'b'])
  await vi.advanceTimersByTimeAsync(50)
  expect(await Promise.all(answers)).toMatchObject([{ value: 'a' }, { value: 'b' }])
  expect(server.sent).toEqual([['a', 'b'], 'a', 'b'])
})

test('an aborted call ends at once, and the batch when all are', async () => {
  const server = openServer()
  server.onBatch = () => new Promise(() => {})
  const ends = [new AbortController(), new AbortController(), new AbortController()]
  const [early, first, second] = ends.map(({ signal }, at) => server.call(`${at}`, signal))
  ends[0]?.abort()
  await vi.advanceTimersByTimeAsync(50)
  expect(await early).toEqual(refused({}))
  expect(server.sent).toEqual([['1', '2']])
  ends[1]?.abort()
  expect(await first).toEqual(refused({}))
  expect(server.signals[0]?.aborted).toBe(false)
  ends[2]?.abort()
  expect(await second).toEqual(refused({}))
  expect(server.signals[0]?.aborted).toBe(true)
})
