import { StoreTimeout } from '../storage/storage.ts'

/** Work on one entry may open files, or make requests to the bucket. */
const maxAtOnce = 16

/** An entry of a call for many files, pending until it has a result. */
export interface Entry<Request, Answer> {
  readonly request: Request
  result?: PromiseSettledResult<Answer>
}

export function succeed<Answer>(entry: Entry<unknown, Answer>, value: Answer): void {
  entry.result = { status: 'fulfilled', value }
}

export function refuse(entry: Entry<unknown, unknown>, reason: unknown): void {
  entry.result = { status: 'rejected', reason }
}

export function pending<E extends Entry<unknown, unknown>>(entries: readonly E[]): E[] {
  return entries.filter(({ result }) => result === undefined)
}

/** Separates the entries that repeat the key of an earlier one. */
export function splitRepeats<E>(
  entries: readonly E[],
  keyOf: (entry: E) => string | undefined,
): { first: E[]; repeats: E[] } {
  const seen = new Set<string>()
  const [first, repeats]: [E[], E[]] = [[], []]
  for (const entry of entries) {
    const key = keyOf(entry)
    const isRepeat = key !== undefined && seen.has(key)
    ;(isRepeat ? repeats : first).push(entry)
    if (key !== undefined) seen.add(key)
  }
  return { first, repeats }
}

/**
 * Works on the pending entries, some of them in parallel. An error refuses its entry only. Once a
 * store has timed out, the entries that haven't begun are refused too: the client would give up
 * before all of them had waited as long.
 */
export async function forEachPending<E extends Entry<unknown, unknown>>(
  entries: readonly E[],
  work: (entry: E) => Promise<void>,
): Promise<void> {
  const waiting = pending(entries).values()
  let silent: StoreTimeout | undefined
  const worker = async () => {
    for (const entry of waiting) {
      try {
        if (silent) throw silent
        await work(entry)
      } catch (error) {
        if (error instanceof StoreTimeout) silent = error
        refuse(entry, error)
      }
    }
  }
  await Promise.all(Array.from({ length: maxAtOnce }, worker))
}

/** Returns the results of the entries, in their order. */
export function resultsOf<Answer>(
  entries: readonly Entry<unknown, Answer>[],
): PromiseSettledResult<Answer>[] {
  return entries.map(
    ({ result }) => result ?? { status: 'rejected', reason: new Error('an entry has no result') },
  )
}
