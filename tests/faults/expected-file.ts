/** The required state of a file after calls whose responses may have been lost. Pure functions. */

/** The server violated a guarantee. */
export class Violation extends Error {}

export interface ExpectedFile {
  id: string
  name: string
  sha256: string
  size: number
  /** The short code of its link. */
  code: string
  /** Codes of earlier links, which must never work again. */
  deadCodes: string[]
  expiresAt: Date
  maxLifetimeAt: Date
  isDeleted: boolean
  /** The expected range of the download count. */
  counted: { min: number; max: number }
}

/** A file as listed by the server. */
export interface Listed {
  shortCode: string
  expiresAt: string
  downloadCount: number
}

/** Renewals and deletions of a file in one round, and their outcomes. */
export interface Attempts {
  /** The new short code of each renewal, or null if the response was lost. */
  renewals: (string | null)[]
  /** True if a renewal was rejected because the bytes were purged. */
  wasGone: boolean
  deletion: 'none' | 'answer lost' | 'done'
}

export const noAttempts: Attempts = { renewals: [], wasGone: false, deletion: 'none' }

/**
 * Returns the file's state after a round. `listed` is its entry in the file list, `latest` the
 * latest time the server's clock has shown.
 * @throws {Violation} if the list contradicts an earlier response, or the bytes were purged too
 * early.
 */
export function reconcile(
  file: ExpectedFile,
  { renewals, wasGone, deletion }: Attempts,
  listed: Listed | undefined,
  latest: Date,
): ExpectedFile {
  if (wasGone && latest < file.maxLifetimeAt) {
    throw new Violation(`the bytes of ${file.name} were gone before the end of its longest life`)
  }
  if (deletion === 'done' && listed) throw new Violation(`${file.name} is listed, but was deleted`)
  if (!listed) {
    if (deletion === 'none') throw new Violation(`${file.name} is lost`)
    return { ...file, isDeleted: true }
  }
  const { min, max } = file.counted
  if (listed.downloadCount < min || listed.downloadCount > max) {
    throw new Violation(
      `${file.name} has ${listed.downloadCount} counted downloads, expected ${min} to ${max}`,
    )
  }
  const answered = renewals.filter((code) => code !== null)
  const isKnown =
    answered.length === 0 ? file.code === listed.shortCode : answered.includes(listed.shortCode)
  if (!isKnown && !renewals.includes(null)) {
    throw new Violation(
      `${file.name} has the link ${listed.shortCode}, which no response contained`,
    )
  }
  const dead = [file.code, ...answered].filter((code) => code !== listed.shortCode)
  return {
    ...file,
    code: listed.shortCode,
    deadCodes: [...file.deadCodes, ...dead],
    expiresAt: new Date(listed.expiresAt),
  }
}

/**
 * Returns true if the link must work at `now`, false if it must not, and null if either is correct.
 * If the file had expired by `latest`, it may be purged even if the clock was set back since.
 */
export function shouldOpen(file: ExpectedFile, now: Date, latest: Date): boolean | null {
  if (file.isDeleted || now >= file.expiresAt || now >= file.maxLifetimeAt) return false
  return latest < file.expiresAt ? true : null
}
