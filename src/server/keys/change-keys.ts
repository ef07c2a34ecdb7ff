import { z } from 'zod'
import type { keys } from '../../shared/contract/keys.ts'
import { isKeyExpired, maxKeysPerUser } from '../../shared/rules/accounts/api-key.ts'
import { ownEntry, writeAudit } from '../audit/audit-log.ts'
import { tokenHash } from '../auth/secrets.ts'
import type { Deps } from '../deps.ts'
import { AppError } from '../errors.ts'
import { counter } from '../http/rate-limit.ts'
import { lockUser } from '../tiers/queries.ts'
import { keyPrefix, newApiKey } from './api-key.ts'
import { countKeys, deleteKey, insertKey } from './queries.ts'

interface OwnerAtAddress {
  userId: string
  address: string
}

/**
 * Creates an API key. The database has only its hash, so the text can't be shown again.
 * @throws {AppError} INVALID_INPUT if it would already be expired; KEY_COUNT for too many keys;
 * TOO_MANY_REQUESTS; UNAUTHORIZED if the user was deleted.
 */
export async function createKey(
  { clock, db, rateLimits }: Pick<Deps, 'clock' | 'db' | 'rateLimits'>,
  { userId, address }: OwnerAtAddress,
  { name, scopes, expiresAt }: KeyRequest,
) {
  // Rate-limited because each key adds an audit log entry, and entries are kept forever.
  await rateLimits.spend([counter('keysByUser', userId)])
  const text = newApiKey()
  const prefix = keyPrefix(text)
  return db.transaction(async (tx) => {
    if (!(await lockUser(tx, userId))) throw new AppError('UNAUTHORIZED')
    const now = clock()
    if (isKeyExpired({ expiresAt }, now)) {
      throw new AppError('INVALID_INPUT', { message: 'expiresAt: Must be in the future.' })
    }
    if ((await countKeys(tx, userId)) >= maxKeysPerUser) throw new AppError('KEY_COUNT')
    const hash = tokenHash(text)
    const values = { ownerId: userId, name, prefix, hash, scopes, expiresAt, createdAt: now }
    const key = await insertKey(tx, values)
    await writeAudit(tx, [
      ownEntry({ userId, address, now }, { action: 'create-key', details: { name, prefix } }),
    ])
    return { ...key, key: text }
  })
}

type KeyRequest = z.output<typeof keys.createKey.body>

/**
 * Revokes a user's API key. It fails from its next call on.
 * @throws {AppError} KEY_NOT_FOUND.
 */
export async function revokeKey(
  { clock, db }: Pick<Deps, 'clock' | 'db'>,
  { userId, address }: OwnerAtAddress,
  id: string,
): Promise<void> {
  if (!z.uuid().safeParse(id).success) throw new AppError('KEY_NOT_FOUND')
  await db.transaction(async (tx) => {
    const key = await deleteKey(tx, userId, id)
    if (!key) throw new AppError('KEY_NOT_FOUND')
    const { name, prefix } = key
    const change = { action: 'revoke-key', details: { name, prefix } } as const
    await writeAudit(tx, [ownEntry({ userId, address, now: clock() }, change)])
  })
}
