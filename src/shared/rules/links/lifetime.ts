import { dayInMs } from '../format/units.ts'

/**
 * The default number of days until a link expires (spec §9). Forms select it first if the tier
 * offers it.
 */
export const defaultExpirationDays = 3

function after(moment: Date, days: number) {
  return new Date(moment.getTime() + days * dayInMs)
}

/**
 * Computes the two dates of a new file (spec §9): when its first link ends, and when its longest
 * life ends. No link ends after the longest life.
 */
export function firstLifetime(
  createdAt: Date,
  { expirationDays, maxLifetimeDays }: { expirationDays: number; maxLifetimeDays: number },
): { expiresAt: Date; maxLifetimeAt: Date } {
  return {
    expiresAt: after(createdAt, Math.min(expirationDays, maxLifetimeDays)),
    maxLifetimeAt: after(createdAt, maxLifetimeDays),
  }
}

/**
 * Computes the end of a link that is renewed at `now`: after `days`, but never after
 * `maxLifetimeAt` (spec §9).
 */
export function renewedExpiry(now: Date, days: number, maxLifetimeAt: Date): Date {
  return new Date(Math.min(after(now, days).getTime(), maxLifetimeAt.getTime()))
}

/**
 * Returns how many days a file may exist. The server fixed both dates when the file was uploaded,
 * so later limits do not matter.
 */
export function lifetimeDays(file: { createdAt: Date; maxLifetimeAt: Date }): number {
  return Math.round((file.maxLifetimeAt.getTime() - file.createdAt.getTime()) / dayInMs)
}
