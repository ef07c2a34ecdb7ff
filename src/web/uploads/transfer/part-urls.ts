/** Signed together: enough that few calls are needed, few enough that none is old when it is used. */
const batchSize = 16
/** With fewer than this ready for the parts to come, the next batch is asked for. */
const fewLeft = 8

/** Presigned URLs of the parts of one upload. */
export interface PartUrls {
  /** The URL of a part: at once where it was signed ahead. Rejects as `sign` does. */
  get(partNumber: number): Promise<string>
  /** Storage refused this part's URL: it is not used again, nor any that is as old. */
  refused(partNumber: number): void
  /** The part gets a fresh URL when it is sent again. */
  forget(partNumber: number): void
}

/**
 * Signs in batches ahead of need, so that no lane waits for a signature while others send.
 * @param sign answers a URL for each of these parts.
 * @param upcoming the parts that are still to be sent, in the order in which they will be.
 */
export const createPartUrls = (
  sign: (partNumbers: readonly number[]) => Promise<ReadonlyMap<number, string>>,
  upcoming: () => Iterable<number>,
): PartUrls => {
  const urls = new Map<number, { batch: number; url: Promise<string> }>()
  let batches = 0

  /** The first parts to come, as many as are looked at to keep a batch ready. */
  const ahead = (): number[] => {
    const found: number[] = []
    for (const partNumber of upcoming()) {
      found.push(partNumber)
      if (found.length === batchSize) break
    }
    return found
  }
  const signBatch = (partNumbers: readonly number[]) => {
    batches += 1
    const batch = batches
    const signed = sign(partNumbers)
    for (const partNumber of partNumbers) {
      const url = signed.then((all) => {
        const found = all.get(partNumber)
        if (found === undefined) throw new Error(`no URL for part ${partNumber}`)
        return found
      })
      const entry = { batch, url }
      urls.set(partNumber, entry)
      // Whoever needs it tries again; nobody may wait for one that was signed ahead.
      url.catch(() => {
        if (urls.get(partNumber) === entry) urls.delete(partNumber)
      })
    }
  }

  return {
    get: (partNumber) => {
      const isMissing = (other: number) => !urls.has(other)
      const next = ahead()
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
