import fc from 'fast-check'
import { limitBounds } from '../../src/shared/rules/tiers/limit-settings.ts'
import type { Limits, TierLimits } from '../../src/shared/rules/tiers/tier-limits.ts'

const { days, files, fileSize } = limitBounds

const anyTierLimits: fc.Arbitrary<TierLimits> = fc
  .record({
    maxFiles: fc.option(fc.integer({ min: files.min, max: files.max })),
    maxFileSize: fc.integer({ min: fileSize.min, max: fileSize.max }),
    choices: fc.uniqueArray(fc.integer({ min: days.min, max: days.max }), {
      minLength: 1,
      maxLength: days.choices,
    }),
    extraDays: fc.nat(days.max),
  })
  .map(({ choices, extraDays, ...limits }) => ({
    ...limits,
    expirationDays: choices.sort((a, b) => a - b),
    maxLifetimeDays: Math.min(days.max, Math.max(...choices) + extraDays),
  }))

/** Generates random limits that an administrator is allowed to set. */
export const anyLimits: fc.Arbitrary<Limits> = fc
  .tuple(anyTierLimits, anyTierLimits)
  .map(([free, other]) => ({ free, premium: raiseToAtLeast(free, other) }))

/**
 * Raises each of `limits` to at least its value in `minimum`, because an upgrade must not lower any
 * limit.
 */
function raiseToAtLeast(minimum: TierLimits, limits: TierLimits): TierLimits {
  const { maxFiles, expirationDays } = limits
  const longestExpiryDays = Math.max(...expirationDays, ...minimum.expirationDays)
  return {
    ...limits,
    maxFiles:
      maxFiles === null || minimum.maxFiles === null ? null : Math.max(minimum.maxFiles, maxFiles),
    maxFileSize: Math.max(minimum.maxFileSize, limits.maxFileSize),
    expirationDays: [...new Set([...expirationDays.slice(0, -1), longestExpiryDays])],
    maxLifetimeDays: Math.max(minimum.maxLifetimeDays, limits.maxLifetimeDays),
  }
}
