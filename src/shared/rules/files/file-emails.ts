import { dayInMs } from '../format/units.ts'
import type { LinkFacts } from '../links/link-status.ts'

/** The emails about files that a user can ask for. */
export const fileEmails = ['first-download', 'link-ends'] as const
export type FileEmail = (typeof fileEmails)[number]

/** How long before the end of a link the email about it is sent. */
export const endsSoonMs = dayInMs

/**
 * Tells whether an email is still right about a file when it is sent, some time after it was asked
 * for. An email about the end of a link is not right once the link was renewed, has ended or was
 * removed.
 */
export function isFileEmailValid(
  about: FileEmail,
  { expiresAt, purgingAt }: Pick<LinkFacts, 'expiresAt' | 'purgingAt'>,
  now: Date,
): boolean {
  if (about === 'first-download') return true
  const leftMs = expiresAt.getTime() - now.getTime()
  return purgingAt === null && leftMs > 0 && leftMs <= endsSoonMs
}
