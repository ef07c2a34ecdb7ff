import { z } from 'zod'
import type { File } from '../../shared/contract/files.ts'
import { tierErrorText } from '../../shared/contract/tier-errors.ts'
import { type ExpirationDays, renewedExpiry } from '../../shared/rules/lifetime.ts'
import { checkRenewal, type RenewalRefusal } from '../../shared/rules/renewal.ts'
import type { Tier } from '../../shared/rules/tier.ts'
import type { Deps } from '../deps.ts'
import { AppError } from '../errors.ts'
import type { SessionUser } from '../http/session.ts'
import { giveNewLink, lockFile, newShortCode, toFile } from './queries.ts'

const fileId = z.uuid()

/**
 * Gives a file a completely new link. It ends after `days`, or with the file's 30 days if these end
 * first (spec §4). When this resolves, the old link has ended: one transaction changes both.
 * Downloads by the old link stay counted. Of several parallel renewals, the link of the last one
 * stays.
 * @throws {AppError} FILE_NOT_FOUND when the caller has no such file or has deleted it;
 * TIER_RENEWAL for a free user; FILE_GONE when the bytes were removed or the 30 days have passed.
 */
export async function renewFile(
  { clock, db }: Pick<Deps, 'clock' | 'db'>,
  owner: Pick<SessionUser, 'id' | 'tier'>,
  id: string,
  days: ExpirationDays,
): Promise<File> {
  if (!fileId.safeParse(id).success) throw new AppError('FILE_NOT_FOUND')
  return db.transaction(async (tx) => {
    // While the row is locked, no purge of this file can begin.
    const file = await lockFile(tx, owner.id, id)
    if (!file) throw new AppError('FILE_NOT_FOUND')
    const now = clock()
    const check = checkRenewal(file, owner.tier, now)
    if (!check.ok) throw refusal(check.code, owner.tier)
    const renewed = await giveNewLink(tx, file.id, {
      shortCode: newShortCode(),
      issuedAt: now,
      expiresAt: renewedExpiry(now, days, file.maxLifetimeAt),
    })
    return toFile(renewed)
  })
}

function refusal(code: RenewalRefusal, tier: Tier): AppError {
  return new AppError(code, code === 'TIER_RENEWAL' ? { message: tierErrorText(tier, code) } : {})
}
