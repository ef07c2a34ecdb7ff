import { eq } from 'drizzle-orm'
import { z } from 'zod'
import { tierErrorText } from '../../shared/contract/tier-errors.ts'
import { dayInMs } from '../../shared/rules/format/units.ts'
import { allowsRequests, requestState } from '../../shared/rules/links/request-state.ts'
import { tierTraits } from '../../shared/rules/tiers/tier.ts'
import { effectiveTier } from '../../shared/rules/tiers/trial.ts'
import { requests } from '../db/schema.ts'
import type { Db, Deps } from '../deps.ts'
import { AppError } from '../errors.ts'
import { newShortCode } from '../links/queries.ts'
import { lockUser, type UserRow } from '../tiers/queries.ts'
import {
  countOpenRequests,
  insertRequest,
  lockRequest,
  type RequestOptions,
  type Undefinable,
  updateRequest,
} from './queries.ts'

type Options = Undefinable<Omit<RequestOptions, 'title' | 'closesAt'>>

/**
 * Creates a request that is open for `openDays`. Returns its id.
 * @throws {AppError} REQUESTS_OFF, TIER_REQUESTS if the administrator doesn't allow it;
 * TIER_REQUEST_COUNT if the tier allows no further open request; UNAUTHORIZED if the owner was
 * deleted.
 */
export async function createRequest(
  { clock, db, settings }: Pick<Deps, 'clock' | 'db' | 'settings'>,
  ownerId: string,
  { openDays, ...options }: { title: string; openDays: number } & Options,
): Promise<string> {
  const { requests: setting } = await settings.read()
  if (setting === 'off') throw new AppError('REQUESTS_OFF')
  return db.transaction(async (tx) => {
    const owner = await lockUser(tx, ownerId)
    if (!owner) throw new AppError('UNAUTHORIZED')
    const now = clock()
    const tier = effectiveTier(owner, now)
    if (!allowsRequests(setting, tier)) {
      throw new AppError('TIER_REQUESTS', { message: tierErrorText(tier, 'TIER_REQUESTS') })
    }
    await enforceRequestLimit(tx, owner, null, now)
    return insertRequest(tx, {
      ...options,
      ownerId,
      code: newShortCode(),
      createdAt: now,
      closesAt: addDays(now, openDays),
    })
  })
}

/**
 * Changes an open request of an owner. `openDays` counts from now.
 * @throws {AppError} REQUEST_NOT_FOUND; REQUEST_CLOSED; TIER_REQUEST_COUNT if the owner, now of a
 * lower tier, has too many open requests to keep this one open for longer.
 */
export async function changeRequest(
  { clock, db }: Pick<Deps, 'clock' | 'db'>,
  ownerId: string,
  id: string,
  { openDays, ...changes }: Undefinable<{ title: string; openDays: number }> & Options,
): Promise<void> {
  if (!z.uuid().safeParse(id).success) throw new AppError('REQUEST_NOT_FOUND')
  await db.transaction(async (tx) => {
    const owner = await lockUser(tx, ownerId)
    const request = await lockRequest(tx, eq(requests.id, id))
    if (!owner || request?.ownerId !== ownerId) throw new AppError('REQUEST_NOT_FOUND')
    const now = clock()
    if (requestState(request, now) === 'closed') throw new AppError('REQUEST_CLOSED')
    if (openDays !== undefined) await enforceRequestLimit(tx, owner, id, now)
    const closesAt = openDays === undefined ? undefined : addDays(now, openDays)
    await updateRequest(tx, id, { ...changes, closesAt })
  })
}

/** @throws {AppError} TIER_REQUEST_COUNT if the locked owner can't have another open request. */
async function enforceRequestLimit(
  tx: Db,
  owner: UserRow,
  exceptId: string | null,
  now: Date,
): Promise<void> {
  const tier = effectiveTier(owner, now)
  const { maxOpenRequests } = tierTraits[tier]
  if (maxOpenRequests === null) return
  if ((await countOpenRequests(tx, owner.id, exceptId, now)) < maxOpenRequests) return
  throw new AppError('TIER_REQUEST_COUNT', { message: tierErrorText(tier, 'TIER_REQUEST_COUNT') })
}

function addDays(date: Date, days: number): Date {
  return new Date(date.getTime() + days * dayInMs)
}
