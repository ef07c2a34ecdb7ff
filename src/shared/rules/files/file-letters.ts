import { dayInMs } from '../format/units.ts'
import type { LinkFacts } from '../links/link-status.ts'

/** The emails about files that a user can ask for. */
export const fileLetters = ['first-download', 'link-ends'] as const
export type FileLetter = (typeof fileLetters)[number]

/** How long before the end of a link the email about it is sent. */
export const endsSoonMs = dayInMs

/**
 * Tells whether a letter is still right about a file when it is sent, some time after it was asked
 * for. A letter about the end of a link is not right once the link was renewed, has ended or was
 * removed.
 */
export function isLetterRight(
  letter: FileLetter,
  { expiresAt, purgingAt }: Pick<LinkFacts, 'expiresAt' | 'purgingAt'>,
  now: Date,
): boolean {
  if (letter === 'first-download') return true
  const leftMs = expiresAt.getTime() - now.getTime()
  return purgingAt === null && leftMs > 0 && leftMs <= endsSoonMs
}
