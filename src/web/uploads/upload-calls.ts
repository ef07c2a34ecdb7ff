import type { File as StoredFile } from '../../shared/contract/files.ts'
import { type Connection, pause } from './connection.ts'
import { maxFruitlessTries, waitBeforeNext } from './next-step.ts'
import { type Timers, waitBy } from './timers.ts'
import { mayPass, type Outcome, type Refusal } from './upload-failure.ts'
import type { StoredPart } from './upload-ports.ts'
import type { UploadTicket } from './upload-record.ts'

/** The calls of an upload. None of them rejects, but for the reason of its signal. */
export interface UploadCalls {
  getUploadUrl(request: {
    fileName: string
    fileSize: number
    fileType: string
    expirationDays: string
  }): Promise<Outcome<UploadTicket>>
  listParts(
    request: { cloudKey: string },
    signal: AbortSignal,
  ): Promise<Outcome<{ parts: readonly StoredPart[] }>>
  confirmUpload(request: {
    cloudKey: string
    metadata: Record<string, unknown>
    uploadStartTime: number
    sha256?: string | undefined
  }): Promise<Outcome<StoredFile>>
  /** Frees the place of an upload and removes its bytes; resolves whatever came of it. */
  abortUpload(cloudKey: string): Promise<void>
  /** The id of who is signed in; null when nobody is. */
  currentUser(): Promise<Outcome<string | null>>
}

/** What repeating a call needs. */
export interface Repeating {
  connection: Connection
  timers: Timers
  /** From 0 to 1. */
  random: () => number
  /** Told that no answer came and the next try waits. */
  onInterrupted: () => void
}

/** A start that got no place cannot be told from one whose answer was lost, so an error is final. */
export const mayStartAgain = (refusal: Refusal): boolean =>
  mayPass(refusal) && refusal.status !== 500

/**
 * Calls until an answer comes that is no passing one, with growing waits; while the browser is offline
 * no try counts. Answers the last refusal when it is given up.
 * Rejects with the reason of the signal.
 */
export const untilAnswered = async <T>(
  work: () => Promise<Outcome<T>>,
  isPassing: (refusal: Refusal) => boolean,
  signal: AbortSignal,
  { connection, timers, random, onInterrupted }: Repeating,
): Promise<Outcome<T>> => {
  const wait = (ms: number, until: AbortSignal) => waitBy(timers, ms, until)
  for (let tries = 1; ; tries += 1) {
    const outcome = await work()
    if (outcome.ok || !isPassing(outcome.refusal)) return outcome
    if (!connection.isOnline()) tries = 1
    if (tries >= maxFruitlessTries || signal.aborted) return outcome
    onInterrupted()
    await pause(waitBeforeNext({ kind: 'network' }, tries, random()), signal, { wait, connection })
  }
}
