import { type KeyValues, keysOf } from '../records/upload-records.ts'
import { mayPass } from '../transfer/retry-policy.ts'
import { callTimeoutMs } from '../transfer/storage-request.ts'
import { type CallDeps, type UploadCalls, untilAnswered } from '../transfer/upload-calls.ts'
import type { Outcome, Refusal } from '../upload-errors.ts'

/**
 * The prefix of the localStorage keys of aborts that have no answer. The storage key of the upload
 * follows it.
 */
const abortKeyPrefix = 'mayfly.abort.'

/** An abort is repeated without limit, because it frees an upload slot. */
const noLimit = { maxTries: Number.POSITIVE_INFINITY, isPatient: false }

export interface AbortsDeps extends CallDeps {
  abortUpload: UploadCalls['abortUpload']
  /** Returns localStorage. Throws where the browser forbids it. */
  storage: () => KeyValues
}

/**
 * Aborts uploads on the server, so that their upload slots become free. Repeats each request until
 * the server answers.
 */
export interface UploadAborts {
  /**
   * Aborts an upload. The promise resolves after the first request. If the server did not answer,
   * further requests follow.
   */
  abort: UploadCalls['abortUpload']
  /** Repeats all aborts that have no answer, including those of an earlier page. */
  resume(): void
  /** Stops repeating. The next page repeats the aborts that have no answer. */
  close(): void
}

/**
 * Creates the object that aborts uploads of a user.
 * @param ownerId the owner of the uploads; only the owner may abort them.
 */
export function createAborts(ownerId: string, deps: AbortsDeps): UploadAborts {
  const { abortUpload, storage } = deps
  const end = new AbortController()
  const { signal } = end
  /** The storage keys of the uploads that are being aborted now. */
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
    // The repetition ends with an answer, when the person has to sign in first, or when `close` is
    // called. In the last two cases `resume` repeats the abort, here or on a later page.
    void untilAnswered(repeated, { signal, limit: noLimit }, deps).then(stop, stop)
    return first.promise
  }

  const tryOnce = async (cloudKey: string): Promise<Outcome<unknown>> => {
    const outcome = await abortUpload(cloudKey)
    const isAnswered = outcome.ok || !(mayPass(outcome.refusal) || needsSignIn(outcome.refusal))
    if (isAnswered) quietly(() => storage().removeItem(abortKeyPrefix + cloudKey))
    return outcome
  }

  const unanswered = (): string[] =>
    keysOf(storage(), abortKeyPrefix)
      .filter((key) => storage().getItem(key) === ownerId)
      .map((key) => key.slice(abortKeyPrefix.length))

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

/**
 * True when the server refused because the person is not signed in. Only the owner may abort an
 * upload.
 */
function needsSignIn({ status }: Refusal): boolean {
  return status === 401
}

/**
 * Runs work on localStorage and ignores its errors. If the browser forbids localStorage, only this
 * page repeats an abort. The server removes an upload without activity by itself after a day.
 */
function quietly<T>(work: () => T): T | undefined {
  try {
    return work()
  } catch {
    return undefined
  }
}
