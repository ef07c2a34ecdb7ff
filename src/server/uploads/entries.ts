import { StoreTimeout } from '../storage/storage.ts'

/** The maximum number of files and bucket requests that a batch has open at once. */
const maxConcurrency = 16

/** One entry of a batch request. It is pending until it has a result. */
export interface Entry<Request, Answer> {
  readonly request: Request
  result?: PromiseSettledResult<Answer>
}

export function succeed<Answer>(entry: Entry<unknown, Answer>, value: Answer): void {
  entry.result = { status: 'fulfilled', value }
}

export function reject(entry: Entry<unknown, unknown>, reason: unknown): void {
  entry.result = { status: 'rejected', reason }
}

export function pending<E extends Entry<unknown, unknown>>(entries: readonly E[]): E[] {
  return entries.filter(({ result }) => result === undefined)
}

/** Separates entries that repeat an earlier entry's key. */
export function splitRepeats<E>(
  entries: readonly E[],
  keyOf: (entry: E) => string | undefined,
): { unique: E[]; repeats: E[] } {
  const seenKeys = new Set<string>()
  const [unique, repeats]: [E[], E[]] = [[], []]
  for (const entry of entries) {
    const key = keyOf(entry)
    const isRepeat = key !== undefined && seenKeys.has(key)
    ;(isRepeat ? repeats : unique).push(entry)
    if (key !== undefined) seenKeys.add(key)
  }
  return { unique, repeats }
}

/**
 * Runs `work` on the pending entries, up to `maxConcurrency` in parallel. An error rejects only the
 * entry that caused it. But after a store timeout, entries that haven't started are rejected too:
 * if each waited that long in turn, the client would time out first.
 */
export async function forEachPending<E extends Entry<unknown, unknown>>(
  entries: readonly E[],
  work: (entry: E) => Promise<void>,
): Promise<void> {
  const pendingEntries = pending(entries).values()
  let storeTimeout: StoreTimeout | undefined
  const worker = async () => {
    for (const entry of pendingEntries) {
      try {
        if (storeTimeout) throw storeTimeout
        await work(entry)
      } catch (error) {
        if (error instanceof StoreTimeout) storeTimeout = error
        reject(entry, error)
      }
    }
  }
  await Promise.all(Array.from({ length: maxConcurrency }, worker))
}

/** Returns the results in the same order as the entries. */
export function resultsOf<Answer>(
  entries: readonly Entry<unknown, Answer>[],
): PromiseSettledResult<Answer>[] {
  return entries.map(
    ({ result }) => result ?? { status: 'rejected', reason: new Error('an entry has no result') },
  )
}
