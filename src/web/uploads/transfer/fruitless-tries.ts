import type { Outcome } from '../upload-errors.ts'

/** Tries in a row that store nothing new before an upload is given up. */
export const maxFruitlessTries = 8

/** Whether the server itself is there, as `GET /api/ready` shows in time. Never rejects. */
export type IsServerReady = (signal: AbortSignal) => Promise<boolean>

/**
 * What an answer to `GET /api/ready` shows: a server is away that gives none, or 5xx. Any other comes
 * of one that is there, as that of a proxy which hides this call from browsers.
 */
export const showsServer = (answer: Outcome<unknown>): boolean =>
  answer.ok || (answer.refusal.status !== null && answer.refusal.status < 500)

/**
 * How many of the tries count that came to nothing, the last of them by an answer that may pass. An
 * upload is given up only while the server is there, so that a restart, a database or a proxy that is
 * away, or a full disk ends none, however long it lasts: the last two tries count only if the server
 * was ready after each, which is before and after the very last one.
 * @param tries in a row, counted so far.
 */
export const countedTries = async (
  tries: number,
  isServerReady: () => Promise<boolean>,
): Promise<number> => {
  const uncontested = maxFruitlessTries - 2
  if (tries <= uncontested) return tries
  return (await isServerReady()) ? tries : uncontested
}
