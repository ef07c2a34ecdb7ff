import { type EntryError, maxBatchLength } from '../../../shared/contract/batch.ts'
import type { CallError, Outcome } from '../upload-errors.ts'

/** Sends inputs in one request. The response has a result for each of them, in order. */
export type SendBatch<Input, Value> = (
  inputs: Input[],
  signal: AbortSignal,
) => Promise<Outcome<{ results: ({ answer: Value } | { error: EntryError })[] }>>

interface WaitingCall<Input, Value> {
  input: Input
  signal: AbortSignal
  resolve: (outcome: Outcome<Value>) => void
}

const noResponse: Outcome<never> = {
  ok: false,
  error: { status: null, code: null, message: null },
}

/**
 * Returns a call that never rejects. Calls made while a request is under way share the next
 * request: without that, a drop of 1,000 small files takes half as long again. An aborted call
 * resolves as if there were no response. A request is aborted once all of its calls are.
 */
export function batchCalls<Input, Value>(
  sendBatch: SendBatch<Input, Value>,
): (input: Input, signal: AbortSignal) => Promise<Outcome<Value>> {
  let waiting: WaitingCall<Input, Value>[] = []
  let isSending = false

  const sendWaiting = async () => {
    isSending = true
    while (waiting.length > 0) {
      const calls = waiting.slice(0, maxBatchLength)
      waiting = waiting.slice(maxBatchLength)
      const signal = whenAllAborted(calls.map((call) => call.signal))
      const inputs = calls.map(({ input }) => input)
      const outcome = signal.aborted ? noResponse : await sendBatch(inputs, signal)
      for (const [index, { resolve }] of calls.entries()) {
        resolve(outcome.ok ? toOutcome(outcome.value.results[index]) : outcome)
      }
    }
    isSending = false
  }

  return (input, signal) =>
    new Promise((resolve) => {
      signal.addEventListener('abort', () => resolve(noResponse), { once: true })
      waiting.push({ input, signal, resolve })
      if (!isSending) void sendWaiting()
    })
}

function whenAllAborted(signals: readonly AbortSignal[]): AbortSignal {
  const controller = new AbortController()
  const abortIfLast = () => {
    if (signals.every(({ aborted }) => aborted)) controller.abort()
  }
  for (const signal of signals) signal.addEventListener('abort', abortIfLast, { once: true })
  abortIfLast()
  return controller.signal
}

function toOutcome<Value>(result?: { answer: Value } | { error: EntryError }): Outcome<Value> {
  if (!result) return noResponse
  if ('answer' in result) return { ok: true, value: result.answer }
  return { ok: false, error: toCallError(result.error) }
}

function toCallError({ httpStatus, code, message, retryAfterSeconds }: EntryError): CallError {
  const retryAfterMs = retryAfterSeconds === undefined ? null : retryAfterSeconds * 1000
  return { status: httpStatus, code, message, retryAfterMs }
}
