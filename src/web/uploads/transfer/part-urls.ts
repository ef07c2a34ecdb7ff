import { partUrlLifetimeMs } from '../../../shared/rules/files/part-plan.ts'
import { callTimeoutMs } from './storage-request.ts'

/**
 * For how many of the next parts URLs are signed together. With 16, few calls are needed, and each
 * URL is used soon after it was signed.
 */
const batchSize = 16
/** When fewer than this many of the next parts have a URL, the next batch is requested. */
const fewLeft = 8
/**
 * How long a URL is used. This is less than its lifetime, because the URL is older than the answer
 * that brought it, and its PUT takes time to arrive.
 */
const usedForMs = partUrlLifetimeMs - 2 * callTimeoutMs

/** The presigned URLs of the parts of one upload. */
export interface PartUrls {
  /**
   * Returns the URL of a part, immediately if it was signed ahead. Rejects as `sign` does, or if
   * the answer of `sign` lacks this part.
   */
  get(partNumber: number): Promise<string>
  /**
   * Notes that storage refused this part's URL. This URL, and all URLs that were signed before it
   * or together with it, are not used again.
   */
  refused(partNumber: number): void
  /** Forgets the URL of a part, so that the part gets a new one when it is sent again. */
  forget(partNumber: number): void
}

export interface PartUrlsDeps {
  /** Returns a URL for each of these parts. */
  sign: (partNumbers: readonly number[]) => Promise<ReadonlyMap<number, string>>
  /** The numbers of the parts that are still to be sent, in the order of sending. */
  upcoming: () => Iterable<number>
  /** Returns milliseconds since an arbitrary moment, for measuring durations. */
  now: () => number
}

/**
 * Creates the object that gives URLs. They are signed in batches before they are needed, so that no
 * connection waits for a URL. A URL that has nearly expired is not used.
 * @param signed URLs that were signed just now, by part number.
 */
export function createPartUrls(
  signed: ReadonlyMap<number, string>,
  { sign, upcoming, now }: PartUrlsDeps,
): PartUrls {
  const urls = new Map<number, { batch: number; until: number; url: Promise<string> }>()
  let batches = 0

  const isMissing = (partNumber: number) => {
    const entry = urls.get(partNumber)
    return entry === undefined || now() >= entry.until
  }
  const firstUpcoming = (): number[] => {
    const found: number[] = []
    for (const partNumber of upcoming()) {
      found.push(partNumber)
      if (found.length === batchSize) break
    }
    return found
  }
  const keep = (partNumbers: Iterable<number>, signing: Promise<ReadonlyMap<number, string>>) => {
    batches += 1
    const age = { batch: batches, until: now() + usedForMs }
    for (const partNumber of partNumbers) {
      const url = signing.then((all) => {
        const found = all.get(partNumber)
        if (found === undefined) throw new Error(`no URL for part ${partNumber}`)
        return found
      })
      const entry = { ...age, url }
      urls.set(partNumber, entry)
      // Signing ahead may fail before any code awaits the URL. This handler ignores the error, and
      // the next call of `get` signs again.
      url.catch(() => {
        if (urls.get(partNumber) === entry) urls.delete(partNumber)
      })
    }
  }
  const signBatch = (partNumbers: readonly number[]) => keep(partNumbers, sign(partNumbers))
  keep(signed.keys(), Promise.resolve(signed))

  return {
    get: (partNumber) => {
      const next = firstUpcoming()
      if (isMissing(partNumber)) {
        signBatch([partNumber, ...next.filter((other) => other !== partNumber && isMissing(other))])
      } else {
        const missing = next.filter(isMissing)
        if (next.length - missing.length < fewLeft && missing.length > 0) signBatch(missing)
      }
      const found = urls.get(partNumber)
      return found ? found.url : Promise.reject(new Error(`no URL for part ${partNumber}`))
    },
    refused: (partNumber) => {
      const refused = urls.get(partNumber)
      if (!refused) return
      for (const [other, { batch }] of urls) if (batch <= refused.batch) urls.delete(other)
    },
    forget: (partNumber) => urls.delete(partNumber),
  }
}
