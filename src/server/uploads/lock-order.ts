import type { SQL } from 'drizzle-orm'
import { uploads } from '../db/schema.ts'
import type { Db } from '../deps.ts'

/**
 * Every statement that locks several uploads, and waits for those that are locked, locks them in
 * this order. So no two statements wait for each other. `prepareInsertUploads` could use no other
 * order: Postgres looks up the idempotency keys of open uploads in the order of the new rows.
 * Neither column ever changes.
 */
export const lockOrder = [uploads.idempotencyKey, uploads.storageKey] as const

/**
 * Makes the query that locks the uploads that `which` selects, until the transaction ends. It
 * returns their storage keys.
 */
export function lockUploads(db: Db, which: SQL | undefined) {
  return db
    .select({ storageKey: uploads.storageKey })
    .from(uploads)
    .where(which)
    .orderBy(...lockOrder)
    .for('update')
}
