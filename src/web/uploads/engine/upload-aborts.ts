import { type KeyValues, keysOf } from '../records/upload-records.ts'
import { mayPass } from '../transfer/retry-policy.ts'
import { callTimeoutMs } from '../transfer/storage-request.ts'
import { type CallDeps, type UploadCalls, untilAnswered } from '../transfer/upload-calls.ts'
import type { Outcome, Refusal } from '../upload-errors.ts'

/** The keys of aborts in the browser's storage begin so. The key of the upload follows. */
const abortKeyPrefix = 'mayfly.abort.'

/** The place is to be freed, however long that takes. */
const noLimit = { maxTries: Number.POSITIVE_INFINITY, isPatient: false }

export interface AbortsDeps extends CallDeps {
  abortUpload: UploadCalls['abortUpload']
  /** May throw where the browser forbids it. */
  storage: () => KeyValues
}

/** Aborts uploads that were given up, so that their places are free. It asks until the server answers. */
export interface UploadAborts {
  /** Resolves after one try. Where that was not answered, others follow. */
  abort: UploadCalls['abortUpload']
  /** Asks for all that was not answered, also of a page before this one. */
  resume(): void
  /** Nothing is asked any more. What is unanswered is kept for the next page. */
  close(): void
}

/** @param ownerId whose uploads these are: nobody else may abort them. */
export function createAborts(ownerId: string, deps: AbortsDeps): UploadAborts {
  const { abortUpload, storage } = deps
  const end = new AbortController()
  const { signal } = end
  /** The keys of the uploads that are being aborted. */
  const running = new Set<string>()

  const abort: UploadAborts['abort'] = async (cloudKey) => {
    quietly(() => storage().setItem(abortKeyPrefix + cloudKey, ownerId))
    running.add(cloudKey)
    const first = Promise.withResolvers<Outcome<unknown>>()
    const ask = async () => {
      const outcome = await tryOnce(cloudKey)
      first.resolve(outcome)
      return outcome
    }
    const call = { ask, withinMs: callTimeoutMs, isPassing: mayPass }
    const stop = () => void running.delete(cloudKey)
    // Ends with an answer, or when somebody has to sign in first. Rejects when this is closed: the next
    // page goes on then.
    void untilAnswered(call, { signal, limit: noLimit }, deps).then(stop, stop)
    return first.promise
  }

  async function tryOnce(cloudKey: string): Promise<Outcome<unknown>> {
    const outcome = await abortUpload(cloudKey)
    const isAnswered = outcome.ok || !(mayPass(outcome.refusal) || needsSignIn(outcome.refusal))
    if (isAnswered) quietly(() => storage().removeItem(abortKeyPrefix + cloudKey))
    return outcome
  }

  function unanswered(): string[] {
    return keysOf(storage(), abortKeyPrefix)
      .filter((key) => storage().getItem(key) === ownerId)
      .map((key) => key.slice(abortKeyPrefix.length))
  }

  return {
    abort,
    resume: () => {
      for (const cloudKey of quietly(unanswered) ?? []) {
        if (!running.has(cloudKey)) void abort(cloudKey)
      }
    },
    close: () => end.abort(new DOMException('These uploads are closed.', 'AbortError')),
  }
}

/** Only the owner may abort, and has to be signed in. */
function needsSignIn({ status }: Refusal): boolean {
  return status === 401
}

/** Where nothing may be written, this page alone asks; at last the server sweeps the upload. */
function quietly<T>(work: () => T): T | undefined {
  try {
    return work()
  } catch {
    return undefined
  }
}
