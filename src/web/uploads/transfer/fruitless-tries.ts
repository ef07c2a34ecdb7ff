/** Tries in a row that store nothing new before an upload is given up. */
export const maxFruitlessTries = 8

/** Whether the server itself is there: `GET /api/ready` answers 200 in time. Never rejects. */
export type IsServerReady = (signal: AbortSignal) => Promise<boolean>

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
