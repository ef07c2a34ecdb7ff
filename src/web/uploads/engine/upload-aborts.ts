import { type KeyValues, keysOf } from '../records/upload-records.ts'
import { mayPass } from '../transfer/retry-policy.ts'
import { callTimeoutMs } from '../transfer/storage-request.ts'
import { type CallDeps, type UploadCalls, untilAnswered } from '../transfer/upload-calls.ts'
import type { Outcome, Refusal } from '../upload-errors.ts'

/** The prefix of the keys of aborts in the browser's storage. The key of the upload follows it. */
const abortKeyPrefix = 'mayfly.abort.'

/** An abort is repeated without limit, because the place must be freed. */
const noLimit = { maxTries: Number.POSITIVE_INFINITY, isPatient: false }

export interface AbortsDeps extends CallDeps {
  abortUpload: UploadCalls['abortUpload']
  /** Throws where the browser forbids storage. */
  storage: () => KeyValues
}

/**
 * Aborts uploads that were given up, so that their places become free. It asks until the server
 * answers.
 */
export interface UploadAborts {
  /** Resolves after one try. If the server did not answer, further tries follow. */
  abort: UploadCalls['abortUpload']
  /** Asks again for all aborts without an answer, including those of an earlier page. */
  resume(): void
  /** Stops asking. The next page asks for the aborts without an answer. */
  close(): void
}

/**
 * Creates the aborts of a user.
 * @param ownerId the owner of the uploads; only the owner may abort them.
 */
export function createAborts(ownerId: string, deps: AbortsDeps): UploadAborts {
  const { abortUpload, storage } = deps
  const end = new AbortController()
  const { signal } = end
  /** The keys of the uploads that are being aborted now. */
  const running = new Set<string>()

  const abort: UploadAborts['abort'] = async (cloudKey) => {
    quietly(() => storage().setItem(abortKeyPrefix + cloudKey, ownerId))
    running.add(cloudKey)
    const first = Promise.withResolvers<Outcome<unknown>>()
    const call = async () => {
      const outcome = await tryOnce(cloudKey)
      first.resolve(outcome)
      return outcome
    }
    const repeated = { call, input: cloudKey, withinMs: callTimeoutMs, isPassing: mayPass }
    const stop = () => void running.delete(cloudKey)
    // The loop ends with an answer, or when the person has to sign in first. Closing this object
    // ends it too. The next page then goes on.
    void untilAnswered(repeated, { signal, limit: noLimit }, deps).then(stop, stop)
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

/** Only the owner may abort an upload, and has to be signed in. */
function needsSignIn({ status }: Refusal): boolean {
  return status === 401
}

/**
 * Runs work on the browser's storage and ignores its errors. If the browser forbids storage, only
 * this page repeats an abort; the server removes the upload in the end.
 */
function quietly<T>(work: () => T): T | undefined {
  try {
    return work()
  } catch {
    return undefined
  }
}
