import { dayInMs } from '../format/units.ts'

/**
 * The default number of days until a link expires (spec §9). Forms preselect it if the tier offers
 * it.
 */
export const defaultExpirationDays = 3

function addDays(date: Date, days: number) {
  return new Date(date.getTime() + days * dayInMs)
}

/**
 * Computes when a new file's first link expires and when its maximum lifetime ends (spec §9). The
 * link never outlasts the maximum lifetime.
 */
export function firstLifetime(
  createdAt: Date,
  { expirationDays, maxLifetimeDays }: { expirationDays: number; maxLifetimeDays: number },
): { expiresAt: Date; maxLifetimeAt: Date } {
  return {
    expiresAt: addDays(createdAt, Math.min(expirationDays, maxLifetimeDays)),
    maxLifetimeAt: addDays(createdAt, maxLifetimeDays),
  }
}

interface UploadingLink {
  expirationDays: number
  maxLifetimeDays: number
  createdAt: Date
  expiresAt: Date
  maxLifetimeAt: Date
  /** When all the files that the link was created with were there, or null. */
  readyAt: Date | null
}

/**
 * Computes a link's dates when one of its files is confirmed at `now`. They count from the link's
 * first file, and `expiresAt` again from the last of the files that it was created with. Files
 * added later change nothing, and an expired link stays expired.
 * @param hasFiles whether the link has an earlier file.
 * @param isComplete whether no other file is still being uploaded.
 */
export function datesAfterConfirm(
  link: UploadingLink,
  { hasFiles, isComplete }: { hasFiles: boolean; isComplete: boolean },
  now: Date,
): Pick<UploadingLink, 'createdAt' | 'expiresAt' | 'maxLifetimeAt' | 'readyAt'> {
  const { createdAt, expirationDays, expiresAt, maxLifetimeAt } = link
  if (link.readyAt !== null) {
    return { createdAt, expiresAt, maxLifetimeAt, readyAt: link.readyAt }
  }
  const readyAt = isComplete ? now : null
  if (!hasFiles) return { createdAt: now, ...firstLifetime(now, link), readyAt }
  return {
    createdAt,
    expiresAt:
      isComplete && now < expiresAt ? renewedExpiry(now, expirationDays, maxLifetimeAt) : expiresAt,
    maxLifetimeAt,
    readyAt,
  }
}

/**
 * Computes when a link that is renewed at `now` for `days` days expires. Never returns a time after
 * `maxLifetimeAt` (spec §9).
 */
export function renewedExpiry(now: Date, days: number, maxLifetimeAt: Date): Date {
  return new Date(Math.min(addDays(now, days).getTime(), maxLifetimeAt.getTime()))
}

/**
 * Returns a file's maximum lifetime in days. It is fixed at upload, so later changes to the limits
 * don't affect it.
 */
export function lifetimeDays(file: { createdAt: Date; maxLifetimeAt: Date }): number {
  return Math.round((file.maxLifetimeAt.getTime() - file.createdAt.getTime()) / dayInMs)
}
