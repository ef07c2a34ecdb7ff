import type { EntryError } from '../../../shared/contract/batch.ts'
import { mostInBatch } from '../../../shared/contract/batch.ts'
import type { Timers } from '../timers.ts'
import type { Outcome, Refusal } from '../upload-errors.ts'
import { mayPass } from './retry-policy.ts'

/** How long a call waits for others that can be sent with it. */
const gatherMs = 50

/** A call with one input. It does not reject. */
type Call<Input, Answer> = (input: Input, signal: AbortSignal) => Promise<Outcome<Answer>>

/** A call that carries many inputs. Its answer has a result for each of them, in their order. */
export type BatchCall<Input, Answer> = Call<
  Input[],
  { results: ({ answer: Answer } | { error: EntryError })[] }
>

interface Waiting<Input, Answer> {
  input: Input
  signal: AbortSignal
  resolve: (outcome: Outcome<Answer>) => void
}

const noAnswer: Outcome<never> = {
  ok: false,
  refusal: { status: null, code: null, message: null },
}

/**
 * Returns a call that waits a moment and is then sent together with others of its kind, in one
 * request. Each gets the outcome that it would have had alone. A call that found no others is sent
 * alone. If the server refuses a whole batch for good, each call of it is sent alone: an older
 * server, for instance, has no batches. When the signal of a call is aborted, this call ends as if
 * no answer had come, and the others of its batch go on.
 */
export function gatherCalls<Input, Answer>(
  timers: Pick<Timers, 'after'>,
  single: Call<Input, Answer>,
  batch: BatchCall<Input, Answer>,
): Call<Input, Answer> {
  let waiting: Waiting<Input, Answer>[] = []
  let stopTimer = () => {}

  const flush = () => {
    stopTimer()
    const calls = waiting.filter(({ signal }) => !signal.aborted)
    waiting = []
    if (calls.length === 1) for (const one of calls) void sendAlone(one)
    if (calls.length > 1) void sendTogether(calls)
  }
  const sendAlone = async ({ input, signal, resolve }: Waiting<Input, Answer>) =>
    resolve(await single(input, signal))
  const sendTogether = async (calls: readonly Waiting<Input, Answer>[]) => {
    const inputs = calls.map(({ input }) => input)
    const outcome = await batch(inputs, allAborted(calls.map(({ signal }) => signal)))
    if (!outcome.ok && isFinal(outcome.refusal)) {
      for (const one of calls) void sendAlone(one)
      return
    }
    for (const [at, { resolve }] of calls.entries()) {
      const result = outcome.ok ? outcome.value.results[at] : undefined
      if (!outcome.ok) resolve(outcome)
      else if (!result) resolve(noAnswer)
      else if ('answer' in result) resolve({ ok: true, value: result.answer })
      else resolve({ ok: false, refusal: refusalIn(result.error) })
    }
  }

  return (input, signal) =>
    new Promise((resolve) => {
      if (signal.aborted) return resolve(noAnswer)
      signal.addEventListener('abort', () => resolve(noAnswer), { once: true })
      waiting.push({ input, signal, resolve })
      if (waiting.length === 1) stopTimer = timers.after(gatherMs, flush)
      if (waiting.length === mostInBatch) flush()
    })
}

/**
 * True when the server would refuse the whole batch again, but its calls may succeed alone. After a
 * 401 they would not, because the session has ended for each of them.
 */
function isFinal(refusal: Refusal): boolean {
  return refusal.status !== 401 && !mayPass(refusal)
}

function refusalIn({ httpStatus, code, message, retryAfterSeconds }: EntryError): Refusal {
  const retryAfterMs = retryAfterSeconds === undefined ? null : retryAfterSeconds * 1000
  return { status: httpStatus, code, message, retryAfterMs }
}

/** Returns a signal that is aborted when all of these are. */
function allAborted(signals: readonly AbortSignal[]): AbortSignal {
  const all = new AbortController()
  const look = () => {
    if (signals.every(({ aborted }) => aborted)) all.abort()
  }
  for (const signal of signals) signal.addEventListener('abort', look, { once: true })
  return all.signal
}
