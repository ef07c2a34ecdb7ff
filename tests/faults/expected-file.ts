/**
 * Pure functions that work out the required state of a file after requests whose responses may have
 * been lost.
 */

/** Thrown when the server breaks a guarantee. */
export class Violation extends Error {}

export interface ExpectedFile {
  id: string
  name: string
  sha256: string
  size: number
  /** The short code of the file's current link. */
  code: string
  /** Short codes of earlier links, which must never work again. */
  deadCodes: string[]
  expiresAt: Date
  maxLifetimeAt: Date
  isDeleted: boolean
  expectedDownloads: { min: number; max: number }
}

export interface ListedFile {
  shortCode: string
  expiresAt: string
  downloadCount: number
}

/** The renewals and deletions of a file attempted in one round, and their outcomes. */
export interface Attempts {
  /** The new short code from each renewal, or null if its response was lost. */
  renewals: (string | null)[]
  /** True if a renewal was rejected because the bytes had been purged. */
  isPurged: boolean
  deletion: 'none' | 'response lost' | 'done'
}

export const noAttempts: Attempts = { renewals: [], isPurged: false, deletion: 'none' }

/**
 * Returns a file's expected state after a round. `listedFile` is its entry in the file list, and
 * `latest` is the latest time that the server's clock has ever shown.
 * @throws {Violation} if the list contradicts an earlier response, or the bytes were purged too
 * early.
 */
export function reconcile(
  file: ExpectedFile,
  { renewals, isPurged, deletion }: Attempts,
  listedFile: ListedFile | undefined,
  latest: Date,
): ExpectedFile {
  if (isPurged && latest < file.maxLifetimeAt) {
    throw new Violation(
      `the bytes of ${file.name} were gone before the end of its maximum lifetime`,
    )
  }
  if (deletion === 'done' && listedFile)
    throw new Violation(`${file.name} is listed, but was deleted`)
  if (!listedFile) {
    if (deletion === 'none') throw new Violation(`${file.name} is lost`)
    return { ...file, isDeleted: true }
  }
  const { min, max } = file.expectedDownloads
  if (listedFile.downloadCount < min || listedFile.downloadCount > max) {
    throw new Violation(
      `${file.name} has ${listedFile.downloadCount} counted downloads, expected ${min} to ${max}`,
    )
  }
  const receivedCodes = renewals.filter((code) => code !== null)
  const isExpectedCode =
    receivedCodes.length === 0
      ? file.code === listedFile.shortCode
      : receivedCodes.includes(listedFile.shortCode)
  if (!isExpectedCode && !renewals.includes(null)) {
    throw new Violation(
      `${file.name} has the link ${listedFile.shortCode}, which no response contained`,
    )
  }
  const newDeadCodes = [file.code, ...receivedCodes].filter((code) => code !== listedFile.shortCode)
  return {
    ...file,
    code: listedFile.shortCode,
    deadCodes: [...file.deadCodes, ...newDeadCodes],
    expiresAt: new Date(listedFile.expiresAt),
  }
}

/**
 * Returns true if the file's link must work at `now`, false if it must not work, and null if either
 * is correct. A file that had expired by `latest` may have been purged, even if the clock has been
 * set back since.
 */
export function shouldOpen(file: ExpectedFile, now: Date, latest: Date): boolean | null {
  if (file.isDeleted || now >= file.expiresAt || now >= file.maxLifetimeAt) return false
  return latest < file.expiresAt ? true : null
}
