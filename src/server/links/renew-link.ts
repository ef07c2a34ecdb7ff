import type { SQL } from 'drizzle-orm'
import { z } from 'zod'
import { tierErrorText } from '../../shared/contract/tier-errors.ts'
import { renewedExpiry } from '../../shared/rules/links/lifetime.ts'
import { checkRenewal, type RenewalError } from '../../shared/rules/links/link-status.ts'
import type { Tier } from '../../shared/rules/tiers/tier.ts'
import { checkDays } from '../../shared/rules/tiers/tier-limits.ts'
import { effectiveTier } from '../../shared/rules/tiers/trial.ts'
import type { Deps } from '../deps.ts'
import { AppError, limitError } from '../errors.ts'
import { type FileRow, findFile } from '../files/queries.ts'
import { lockUser } from '../tiers/queries.ts'
import { hasFile, issueNewCode, type LinkRow, lockLinkAndFiles } from './queries.ts'

const fileId = z.uuid()

type RenewalDeps = Pick<Deps, 'clock' | 'db' | 'settings'>

/**
 * Renews the link of a file (see `renewLink`). Returns the file.
 * @throws {AppError} FILE_NOT_FOUND, or as `renewLink` does.
 */
export async function renewFile(
  deps: RenewalDeps,
  ownerId: string,
  id: string,
  days: number,
): Promise<FileRow> {
  const link = fileId.safeParse(id).success
    ? await renewLink(deps, ownerId, hasFile(deps.db, id), days)
    : undefined
  const file = link && (await findFile(deps.db, ownerId, { id }))
  if (!file) throw new AppError('FILE_NOT_FOUND')
  // A parallel renewal may already have ended the new link.
  return { ...file, shortCode: link.shortCode, expiresAt: link.expiresAt }
}

/**
 * Gives a link a new short code, and ends the old one. The new link expires after `days`, or with
 * its maximum lifetime if that is earlier (spec §4). If several renewals run in parallel, the last
 * one wins.
 * @param condition selects one of the owner's links.
 * @returns undefined if there is no such link.
 * @throws {AppError} TIER_RENEWAL for a free user; FILE_GONE once the bytes are gone or the maximum
 * lifetime is over; DOWNLOADS_USED_UP if no downloads are left; TIER_EXPIRATION if the tier doesn't
 * offer this number of days, INVALID_INPUT if no tier does.
 */
export async function renewLink(
  { clock, db, settings }: RenewalDeps,
  ownerId: string,
  condition: SQL,
  days: number,
): Promise<LinkRow | undefined> {
  const limits = await settings.limits()
  return db.transaction(async (tx) => {
    // Locks in the same order as a tier change, which waits for this transaction and then updates
    // the purge times.
    const owner = await lockUser(tx, ownerId, 'share')
    const link = owner && (await lockLinkAndFiles(tx, ownerId, condition))
    if (!link) return undefined
    const now = clock()
    const tier = effectiveTier(owner, now)
    const check = checkRenewal(link, tier, now)
    if (!check.ok) throw renewalError(check.code, tier)
    const daysErrorCode = checkDays(days, tier, limits)
    if (daysErrorCode !== null) throw limitError(daysErrorCode, tier, limits)
    return issueNewCode(tx, link, renewedExpiry(now, days, link.maxLifetimeAt), now)
  })
}

function renewalError(code: RenewalError, tier: Tier): AppError {
  return new AppError(code, code === 'TIER_RENEWAL' ? { message: tierErrorText(tier, code) } : {})
}
