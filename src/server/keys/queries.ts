import { and, desc, eq, isNull } from 'drizzle-orm'
import { apiKeys, users } from '../db/schema.ts'
import type { Db } from '../deps.ts'

type KeyRow = typeof apiKeys.$inferSelect

/** Lists a user's keys, newest first. */
export function listKeys(db: Db, ownerId: string): Promise<KeyRow[]> {
  return db
    .select()
    .from(apiKeys)
    .where(eq(apiKeys.ownerId, ownerId))
    .orderBy(desc(apiKeys.createdAt), apiKeys.id)
}

export function countKeys(db: Db, ownerId: string): Promise<number> {
  return db.$count(apiKeys, eq(apiKeys.ownerId, ownerId))
}

export async function insertKey(tx: Db, key: typeof apiKeys.$inferInsert): Promise<KeyRow> {
  const [row] = await tx.insert(apiKeys).values(key).returning()
  return row as KeyRow
}

/** Finds a key, even an expired one, with its owner. */
export async function findKey(db: Db, hash: string) {
  const [row] = await db
    .select({ key: apiKeys, user: users })
    .from(apiKeys)
    .innerJoin(users, eq(users.id, apiKeys.ownerId))
    .where(eq(apiKeys.hash, hash))
  return row
}

/** Records a key's use, once for parallel requests. */
export async function recordKeyUse(
  db: Db,
  { id, lastUsedAt }: Pick<KeyRow, 'id' | 'lastUsedAt'>,
  now: Date,
): Promise<void> {
  const isUnchanged = lastUsedAt ? eq(apiKeys.lastUsedAt, lastUsedAt) : isNull(apiKeys.lastUsedAt)
  await db
    .update(apiKeys)
    .set({ lastUsedAt: now })
    .where(and(eq(apiKeys.id, id), isUnchanged))
}

/** Deletes a user's key and returns it; undefined if the user has no such key. */
export async function deleteKey(tx: Db, ownerId: string, id: string): Promise<KeyRow | undefined> {
  const [row] = await tx
    .delete(apiKeys)
    .where(and(eq(apiKeys.id, id), eq(apiKeys.ownerId, ownerId)))
    .returning()
  return row
}
