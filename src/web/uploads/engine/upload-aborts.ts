import { type KeyValues, keysOf } from '../records/upload-records.ts'
import { pause } from '../transfer/connection.ts'
import { waitBeforeNext } from '../transfer/next-step.ts'
import { answerOf, type Repeating, type UploadCalls } from '../transfer/upload-calls.ts'
import { mayPass, type Refusal } from '../upload-errors.ts'

/** What the keys of places to be freed begin with; the key of the upload follows. */
const abortKeyPrefix = 'mayfly.abort.'

export interface AbortsDeps extends Pick<Repeating, 'connection' | 'wait' | 'random'> {
  abortUpload: UploadCalls['abortUpload']
  /** May throw where the browser forbids it. */
  storage: () => KeyValues
}

/** Frees the places of uploads that were given up, however long the server cannot be reached. */
export interface UploadAborts {
  /** Resolves when the server has answered, or is to be asked again later. */
  abort: UploadCalls['abortUpload']
  /** Asks for all that was not answered, also by a page before this one. */
  resume(): void
  /** Nothing is asked any more; what is unanswered is kept for the next page. */
  close(): void
}

/** Somebody who may do it has to be signed in. */
const needsSignIn = ({ status }: Refusal) => status === 401

/**
 * @param ownerId whose uploads these are: nobody else may end them.
 */
export const createAborts = (ownerId: string, deps: AbortsDeps): UploadAborts => {
  const { abortUpload, storage, wait, connection, random } = deps
  const end = new AbortController()
  const { signal } = end
  const asked = new Set<string>()

  /** Where nothing may be written the place is freed by this page, or when the server sweeps. */
  const quietly = <T>(work: () => T): T | undefined => {
    try {
      return work()
    } catch {
      return undefined
    }
  }
  const found = (): string[] =>
    keysOf(storage(), abortKeyPrefix)
      .filter((key) => storage().getItem(key) === ownerId)
      .map((key) => key.slice(abortKeyPrefix.length))

  /** Until it is answered, or somebody has to sign in. */
  const askAgain = async (cloudKey: string, first: Refusal): Promise<void> => {
    let refusal = first
    for (let tries = 1; ; tries += 1) {
      await pause(waitBeforeNext(answerOf(refusal), tries, random()), signal, { wait, connection })
      const outcome = await ask(cloudKey)
      if (outcome.ok || !mayPass(outcome.refusal)) return
      refusal = outcome.refusal
    }
  }
  const ask = async (cloudKey: string) => {
    const outcome = await abortUpload(cloudKey)
    const isAnswered = outcome.ok || !(mayPass(outcome.refusal) || needsSignIn(outcome.refusal))
    if (isAnswered) quietly(() => storage().removeItem(abortKeyPrefix + cloudKey))
    return outcome
  }

  const abort: UploadAborts['abort'] = async (cloudKey) => {
    quietly(() => storage().setItem(abortKeyPrefix + cloudKey, ownerId))
    asked.add(cloudKey)
    const outcome = await ask(cloudKey)
    const done = () => void asked.delete(cloudKey)
    if (outcome.ok || !mayPass(outcome.refusal)) done()
    // Ends when this is closed; the next page asks then.
    else void askAgain(cloudKey, outcome.refusal).then(done, done)
    return outcome
  }

  return {
    abort,
    resume: () => {
      for (const cloudKey of quietly(found) ?? []) if (!asked.has(cloudKey)) void abort(cloudKey)
    },
    close: () => end.abort(new DOMException('These uploads are closed.', 'AbortError')),
  }
}
