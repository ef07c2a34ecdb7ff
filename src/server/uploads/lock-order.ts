import type { SQL } from 'drizzle-orm'
import { uploads } from '../db/schema.ts'
import type { Db } from '../deps.ts'

/**
 * Every statement that locks several uploads locks them in this order, so that no two statements
 * wait for each other. It is the order in which `prepareInsertUploads` finds open uploads again,
 * and that one has no choice: Postgres looks the keys up in the order of the new rows. Neither
 * column ever changes.
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
