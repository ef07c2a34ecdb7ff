/** Spec §1: expiry of 3, 5 or 7 days. `tierLimits` says which of them a tier may choose. */
export const expirationDays = [3, 5, 7] as const
export type ExpirationDays = (typeof expirationDays)[number]

/** Spec §9: default expiry, in days. */
export const defaultExpirationDays = 3 satisfies ExpirationDays

/** Spec §9: maximum lifetime of any file in days, regardless of renewals. */
export const maxLifetimeDays = 30

export const hourInMs = 60 * 60 * 1000

/** A day is exactly 24 hours, without regard to daylight saving time. */
export const dayInMs = 24 * hourInMs

function after(moment: Date, days: number) {
  return new Date(moment.getTime() + days * dayInMs)
}

/**
 * Computes the two dates of a new file: when its link ends, and when even a renewed link must end.
 */
export function firstLifetime(
  createdAt: Date,
  days: ExpirationDays,
): { expiresAt: Date; maxLifetimeAt: Date } {
  return { expiresAt: after(createdAt, days), maxLifetimeAt: after(createdAt, maxLifetimeDays) }
}

/**
 * Computes when a link ends that is renewed at `now`: after `days`, but never after `maxLifetimeAt`
 * (spec §9).
 */
export function renewedExpiry(now: Date, days: ExpirationDays, maxLifetimeAt: Date): Date {
  return new Date(Math.min(after(now, days).getTime(), maxLifetimeAt.getTime()))
}
