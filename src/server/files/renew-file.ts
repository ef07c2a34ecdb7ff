import { z } from 'zod'
import { tierErrorText } from '../../shared/contract/tier-errors.ts'
import { renewedExpiry } from '../../shared/rules/links/lifetime.ts'
import { checkRenewal, type RenewalError } from '../../shared/rules/links/link-status.ts'
import type { Tier } from '../../shared/rules/tiers/tier.ts'
import { checkDays } from '../../shared/rules/tiers/tier-limits.ts'
import { effectiveTier } from '../../shared/rules/tiers/trial.ts'
import type { Deps } from '../deps.ts'
import { AppError, limitError } from '../errors.ts'
import { lockUser } from '../tiers/queries.ts'
import { type FileRow, issueNewLink, lockFile, newShortCode } from './queries.ts'

const fileId = z.uuid()

/**
 * Gives a file a new link, and ends the old one. The new link expires after `days`, or with the
 * file's maximum lifetime if that is earlier (spec §4). If several renewals run in parallel, the
 * last one wins.
 * @throws {AppError} FILE_NOT_FOUND; TIER_RENEWAL for a free user; FILE_GONE once the bytes are
 * gone or the maximum lifetime is over; TIER_EXPIRATION if the tier doesn't offer this number of
 * days, INVALID_INPUT if no tier does.
 */
export async function renewFile(
  { clock, db, settings }: Pick<Deps, 'clock' | 'db' | 'settings'>,
  ownerId: string,
  id: string,
  days: number,
): Promise<FileRow> {
  if (!fileId.safeParse(id).success) throw new AppError('FILE_NOT_FOUND')
  const limits = await settings.limits()
  return db.transaction(async (tx) => {
    // Locks in the same order as a tier change, which waits for this transaction and then updates
    // the purge times.
    const owner = await lockUser(tx, ownerId, 'share')
    const file = owner && (await lockFile(tx, ownerId, id))
    if (!file) throw new AppError('FILE_NOT_FOUND')
    const now = clock()
    const tier = effectiveTier(owner, now)
    const check = checkRenewal(file, tier, now)
    if (!check.ok) throw renewalError(check.code, tier)
    const daysErrorCode = checkDays(days, tier, limits)
    if (daysErrorCode !== null) throw limitError(daysErrorCode, tier, limits)
    return issueNewLink(tx, file, {
      shortCode: newShortCode(),
      issuedAt: now,
      expiresAt: renewedExpiry(now, days, file.maxLifetimeAt),
    })
  })
}

function renewalError(code: RenewalError, tier: Tier): AppError {
  return new AppError(code, code === 'TIER_RENEWAL' ? { message: tierErrorText(tier, code) } : {})
}
