import { maxFilesPerLink } from '../../shared/rules/links/link-limits.ts'
import { allowsRequests, requestState } from '../../shared/rules/links/request-state.ts'
import { isShortCode } from '../../shared/rules/links/short-code.ts'
import { type Tier, tierTraits } from '../../shared/rules/tiers/tier.ts'
import { effectiveTier } from '../../shared/rules/tiers/trial.ts'
import type { BrandRow } from '../branding/queries.ts'
import type { Deps } from '../deps.ts'
import { AppError } from '../errors.ts'
import { countActiveFiles, countUploads, sumStored } from '../uploads/queries.ts'
import { findRequestByCode, hasAllDeliveries, type RequestRow } from './queries.ts'

/** A request that takes deliveries. `brand` is null unless the owner's tier shows one. */
export interface OpenRequest {
  request: RequestRow
  ownerName: string
  tier: Tier
  brand: BrandRow | null
}

/**
 * Finds an open request by its code. Returns null for any other: senders can't tell whether a
 * request is unknown, closed, over, or no longer allowed by the administrator.
 */
export async function findOpenRequest(
  { clock, db, settings }: Pick<Deps, 'clock' | 'db' | 'settings'>,
  code: string,
): Promise<OpenRequest | null> {
  const row = isShortCode(code) ? await findRequestByCode(db, code) : undefined
  if (!row) return null
  const { request, owner, brand } = row
  const now = clock()
  const tier = effectiveTier(owner, now)
  const { requests: setting } = await settings.read()
  if (requestState(request, now) === 'closed' || !allowsRequests(setting, tier)) return null
  return { request, ownerName: owner.name, tier, brand: tierTraits[tier].branding ? brand : null }
}

/** @throws {AppError} REQUEST_NOT_FOUND; see `findOpenRequest`. */
export async function requireOpenRequest(
  deps: Pick<Deps, 'clock' | 'db' | 'settings'>,
  code: string,
): Promise<OpenRequest> {
  const openRequest = await findOpenRequest(deps, code)
  if (!openRequest) throw new AppError('REQUEST_NOT_FOUND')
  return openRequest
}

/** A request's password as `unlock` expects it. The codes of requests and links never coincide. */
export function toLock({ id, ownerId, code, passwordHash }: RequestRow) {
  return { id, ownerId, shortCode: code, passwordHash }
}

/** Returns what the page of an unlocked request shows, except the brand. */
export async function describeRequest(
  deps: Pick<Deps, 'clock' | 'db' | 'settings' | 'stores'>,
  { request, ownerName, tier }: OpenRequest,
) {
  const limits = (await deps.settings.limits())[tier]
  return {
    requester: ownerName,
    title: request.title,
    message: request.message,
    closesAt: request.closesAt,
    maxFileSize: Math.min(limits.maxFileSize, request.maxFileSize ?? limits.maxFileSize),
    maxFiles: await countFreeFiles(deps, request, limits.maxFiles),
  }
}

/** Returns how many files a delivery could have now. The start of the delivery decides. */
async function countFreeFiles(
  { clock, db, settings, stores }: Pick<Deps, 'clock' | 'db' | 'settings' | 'stores'>,
  request: RequestRow,
  maxFiles: number | null,
): Promise<number> {
  const { ownerId } = request
  if (await hasAllDeliveries(db, request)) return 0
  if (!(await stores.current.hasSpaceFor(1))) return 0
  const { maxStored } = (await settings.current()).cap
  if (maxStored !== null) {
    const stored = await sumStored(db)
    if (stored.files + stored.uploads >= maxStored) return 0
  }
  if (maxFiles === null) return maxFilesPerLink
  const now = clock()
  const { active } = await countUploads(db, ownerId, 0, now)
  const used = active + (await countActiveFiles(db, ownerId, now))
  return Math.min(maxFilesPerLink, Math.max(0, maxFiles - used))
}
