import { type EntryError, maxBatchLength } from '../../../shared/contract/batch.ts'
import type { Timers } from '../timers.ts'
import type { CallError, Outcome } from '../upload-errors.ts'

/** How long a call waits for others to share its request. */
const batchDelayMs = 50

/** A call with many inputs. The response has a result for each of them, in order. */
export type BatchCall<Input, Value> = (
  inputs: Input[],
) => Promise<Outcome<{ results: ({ answer: Value } | { error: EntryError })[] }>>

interface PendingCall<Input, Value> {
  input: Input
  signal: AbortSignal
  resolve: (outcome: Outcome<Value>) => void
}

const noResponse: Outcome<never> = {
  ok: false,
  error: { status: null, code: null, message: null },
}

/**
 * Returns a call that waits briefly to share one request with concurrent calls. It never rejects.
 * An aborted call resolves as if there were no response, while the rest of its batch continues.
 */
export function batchCalls<Input, Value>(
  timers: Pick<Timers, 'runAfter'>,
  sendBatch: BatchCall<Input, Value>,
): (input: Input, signal: AbortSignal) => Promise<Outcome<Value>> {
  let pending: PendingCall<Input, Value>[] = []

  const flush = async () => {
    const calls = pending.filter(({ signal }) => !signal.aborted)
    pending = []
    if (calls.length === 0) return
    const outcome = await sendBatch(calls.map(({ input }) => input))
    for (const [index, { resolve }] of calls.entries()) {
      const result = outcome.ok ? outcome.value.results[index] : undefined
      if (!outcome.ok) resolve(outcome)
      else if (!result) resolve(noResponse)
      else if ('answer' in result) resolve({ ok: true, value: result.answer })
      else resolve({ ok: false, error: toCallError(result.error) })
    }
  }

  return (input, signal) =>
    new Promise((resolve) => {
      if (signal.aborted) return resolve(noResponse)
      signal.addEventListener('abort', () => resolve(noResponse), { once: true })
      pending.push({ input, signal, resolve })
      if (pending.length === 1) timers.runAfter(batchDelayMs, () => void flush())
      if (pending.length === maxBatchLength) void flush()
    })
}

function toCallError({ httpStatus, code, message, retryAfterSeconds }: EntryError): CallError {
  const retryAfterMs = retryAfterSeconds === undefined ? null : retryAfterSeconds * 1000
  return { status: httpStatus, code, message, retryAfterMs }
}
