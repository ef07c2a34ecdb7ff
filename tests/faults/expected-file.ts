/**
 * Pure rules that say what must be true of a file after calls whose answers may have been lost.
 * They get the answers of the calls and what the server shows now. They return what the file is
 * now, or throw a `Violation`.
 */

/** Is thrown when the server broke a promise. */
export class Violation extends Error {}

export interface ExpectedFile {
  id: string
  name: string
  sha256: string
  size: number
  /** The code of the link that opens the file, while it has not expired. */
  code: string
  /** Codes of earlier links. They never open again. */
  deadCodes: string[]
  expiresAt: Date
  maxLifetimeAt: Date
  isDeleted: boolean
  /** How many downloads must be counted at least, and may be counted at most. */
  counted: { least: number; most: number }
}

/** What the list of files says about a file. */
export interface Listed {
  shortCode: string
  expiresAt: string
  downloadCount: number
}

/**
 * The renewals and deletions of one file that a player tried in a round, and how they were
 * answered.
 */
export interface Attempts {
  /**
   * The new short code of each renewal that was answered, and null for each whose answer was lost.
   */
  renewals: (string | null)[]
  /** Whether a renewal was refused because the bytes were gone. */
  wasGone: boolean
  deletion: 'none' | 'answer lost' | 'done'
}

/** The attempts of a file that nobody tried to renew or delete. */
export const noAttempts: Attempts = { renewals: [], wasGone: false, deletion: 'none' }

/**
 * Returns what the file is after a round. `listed` is what the list of files says about it;
 * undefined if the list no longer contains it. `latest` is the latest moment that the server's
 * clock has ever shown.
 * @throws {Violation} if the list contradicts an answer, or the bytes were gone too early.
 */
export function settle(
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
  const { least, most } = file.counted
  if (listed.downloadCount < least || listed.downloadCount > most) {
    throw new Violation(
      `${file.name} counts ${listed.downloadCount} downloads, not ${least} to ${most}`,
    )
  }
  const answered = renewals.filter((code) => code !== null)
  const isKnown =
    answered.length === 0 ? file.code === listed.shortCode : answered.includes(listed.shortCode)
  if (!isKnown && !renewals.includes(null)) {
    throw new Violation(`${file.name} has the link ${listed.shortCode}, which nobody was given`)
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
 * Returns true if the link of a file must open at `now`, false if it must not, and null if it may
 * or may not. `latest` is the latest moment that the server's clock has ever shown. If the file had
 * expired by then, its bytes may be gone, even if the clock was set back afterwards.
 */
export function mustOpen(file: ExpectedFile, now: Date, latest: Date): boolean | null {
  if (file.isDeleted || now >= file.expiresAt || now >= file.maxLifetimeAt) return false
  return latest < file.expiresAt ? true : null
}
