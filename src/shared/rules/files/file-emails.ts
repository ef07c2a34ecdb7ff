import { dayInMs } from '../format/units.ts'
import type { LinkDates } from '../links/link-status.ts'

/** Optional emails about files. */
export const fileEmails = ['first-download', 'link-ends'] as const
export type FileEmail = (typeof fileEmails)[number]

/** How long before the end of a link the email about it is sent. */
export const endsSoonMs = dayInMs

/**
 * True if a queued email is still accurate. An email about the end of a link is not if the link has
 * been renewed, has ended or has been removed.
 */
export function isFileEmailValid(
  email: FileEmail,
  { expiresAt, purgingAt }: Pick<LinkDates, 'expiresAt' | 'purgingAt'>,
  now: Date,
): boolean {
  if (email === 'first-download') return true
  const leftMs = expiresAt.getTime() - now.getTime()
  return purgingAt === null && leftMs > 0 && leftMs <= endsSoonMs
}
