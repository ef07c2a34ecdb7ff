import { type KeyValues, keysOf } from '../records/upload-records.ts'
import { pause } from '../transfer/connection.ts'
import { waitBeforeNext } from '../transfer/next-step.ts'
import { answerOf, type Repeating, type UploadCalls } from '../transfer/upload-calls.ts'
import { mayPass, type Outcome, type Refusal } from '../upload-errors.ts'

/** The keys of aborts in the browser's storage begin so. The key of the upload follows. */
const abortKeyPrefix = 'mayfly.abort.'

export interface AbortsDeps extends Pick<Repeating, 'connection' | 'wait' | 'random'> {
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
  const { abortUpload, storage, wait, connection, random } = deps
  const end = new AbortController()
  const { signal } = end
  /** The keys of the uploads that are being aborted. */
  const running = new Set<string>()

  const abort: UploadAborts['abort'] = async (cloudKey) => {
    quietly(() => storage().setItem(abortKeyPrefix + cloudKey, ownerId))
    running.add(cloudKey)
    const outcome = await tryOnce(cloudKey)
    const stop = () => void running.delete(cloudKey)
    if (outcome.ok || !mayPass(outcome.refusal)) stop()
    // Rejects when this is closed. The next page goes on then.
    else void tryAgain(cloudKey, outcome.refusal).then(stop, stop)
    return outcome
  }

  async function tryOnce(cloudKey: string): Promise<Outcome<unknown>> {
    const outcome = await abortUpload(cloudKey)
    const isAnswered = outcome.ok || !(mayPass(outcome.refusal) || needsSignIn(outcome.refusal))
    if (isAnswered) quietly(() => storage().removeItem(abortKeyPrefix + cloudKey))
    return outcome
  }

  /** Tries until the server answers, or somebody has to sign in first. */
  async function tryAgain(cloudKey: string, first: Refusal): Promise<void> {
    let refusal = first
    for (let tries = 1; ; tries += 1) {
      await pause(waitBeforeNext(answerOf(refusal), tries, random()), signal, { wait, connection })
      const outcome = await tryOnce(cloudKey)
      if (outcome.ok || !mayPass(outcome.refusal)) return
      refusal = outcome.refusal
    }
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
