import { dayInMs } from '../format/units.ts'
import type { LinkDates } from '../links/link-status.ts'

/** Emails about files, which users can turn on and off. */
export const fileEmails = ['first-download', 'link-ends'] as const
export type FileEmail = (typeof fileEmails)[number]

/** How long before a link expires its owner is emailed. */
export const endsSoonMs = dayInMs

/**
 * True if a queued email is still accurate. The email about a link that is about to expire becomes
 * inaccurate if the link is renewed, expires or is removed.
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
