import { partUrlLifetimeMs } from '../../../shared/rules/part-plan.ts'
import { callTimeoutMs } from './storage-request.ts'

/** Signed together: enough that few calls are needed, few enough that none is old when it is used. */
const batchSize = 16
/** With fewer than this ready for the parts to come, the next batch is asked for. */
const fewLeft = 8
/** Less than a URL lives: it was signed some time before it came, and its PUT takes some to arrive. */
const usedForMs = partUrlLifetimeMs - 2 * callTimeoutMs

/** Presigned URLs of the parts of one upload. */
export interface PartUrls {
  /** The URL of a part: at once where it was signed ahead. Rejects as `sign` does. */
  get(partNumber: number): Promise<string>
  /** Storage refused this part's URL: it is not used again, nor any that is as old. */
  refused(partNumber: number): void
  /** The part gets a fresh URL when it is sent again. */
  forget(partNumber: number): void
}

export interface PartUrlsDeps {
  /** Answers a URL for each of these parts. */
  sign: (partNumbers: readonly number[]) => Promise<ReadonlyMap<number, string>>
  /** The parts that are still to be sent, in the order in which they will be. */
  upcoming: () => Iterable<number>
  /** Milliseconds, only ever compared with each other. */
  now: () => number
}

/**
 * Signs in batches ahead of need, so that no connection waits for a signature while others send. A URL
 * that has nearly run out is not used.
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
      // Nobody may wait for a URL that was signed ahead. Whoever needs it asks again.
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
