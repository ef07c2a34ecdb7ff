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
 * Gives a file a completely new link that ends after `days`, or with the file's 30 days if these end
 * first (spec §4). The old link is dead when this resolves: one transaction changes both. Its
 * downloads stay counted. Of several renewals at once the last one's link lives.
 * @throws {AppError} FILE_NOT_FOUND when the caller has no such file, also after it was deleted;
 * TIER_RENEWAL for a free user; FILE_GONE when the bytes are gone or the 30 days are over.
 */
export async function renewFile(
  { clock, db }: Pick<Deps, 'clock' | 'db'>,
  owner: Pick<SessionUser, 'id' | 'tier'>,
  id: string,
  days: ExpirationDays,
): Promise<File> {
  if (!fileId.safeParse(id).success) throw new AppError('FILE_NOT_FOUND')
  return db.transaction(async (tx) => {
    // The lock also keeps a purge from beginning.
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
