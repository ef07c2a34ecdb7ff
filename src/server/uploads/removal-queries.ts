import { eq, inArray, lte, type SQLWrapper, sql } from 'drizzle-orm'
import { idleUploadKeptMs } from '../../shared/rules/files/kept-times.ts'
import type { StorageName } from '../../shared/rules/files/storage-name.ts'
import { rowValues } from '../db/row-values.ts'
import { deletionReceipts, removals, uploads } from '../db/schema.ts'
import type { Db } from '../deps.ts'
import { nextTryAt, overdueMs } from '../storage/removal-tries.ts'

/** An upload that ended without becoming a file. Its bytes are to be removed. */
export type EndedUpload = Pick<typeof removals.$inferSelect, 'storageKey' | 'storage'>

/**
 * Who first tries to remove the bytes of an ended upload. If it is the caller, the job
 * `sweep-uploads` tries after two minutes to remove what is left.
 */
export type FirstTry = 'caller' | 'job'

const ofUpload = { storageKey: removals.storageKey, storage: removals.storage }

/**
 * Ends the uploads that `locked` locks, and returns them. The same statement records in `removals`
 * that their bytes must be removed, so this is not forgotten after a crash. The removal is due at
 * `now`. For an upload that was idle for more than 24 hours, it was due at the end of these 24
 * hours.
 * @param locked a query such as that of `lockUploads`. One that skips locked uploads may have any
 * order, because it never waits.
 */
export function endUploads(
  db: Db,
  locked: SQLWrapper,
  now: Date,
  firstTry: FirstTry = 'caller',
): Promise<EndedUpload[]> {
  const { storageKey, storage, lastActivityAt } = uploads
  const ended = db.$with('ended').as(
    db
      .delete(uploads)
      // Postgres runs the query in `array` once, before it deletes the first row.
      .where(sql`${storageKey} = any(array${locked})`)
      .returning({ storageKey, storage, lastActivityAt }),
  )
  const row = rowValues(removals, {
    storageKey: ended.storageKey,
    storage: ended.storage,
    dueAt: sql`least(${ended.lastActivityAt} + ${idleUploadKeptMs} * interval '1 millisecond', ${now}::timestamptz)`,
    ...(firstTry === 'caller'
      ? { tries: sql`1`, tryAt: nextTryAt(0, now) }
      : { tries: sql`0`, tryAt: sql`${now}::timestamptz` }),
  })
  return (
    db
      .with(ended)
      .insert(removals)
      .select(sql`select ${row} from ${ended}`)
      // `restartUpload` may have recorded these bytes before. That removal then stays as it is.
      .onConflictDoUpdate({ target: removals.storageKey, set: { tries: sql`${removals.tries}` } })
      .returning(ofUpload)
  )
}

/**
 * Gives an upload a new id, and records in the same statement that its bytes must be removed, so
 * that it can be sent again. A request that knows the old id no longer finds the upload. As long as
 * the removal is recorded, `findUploads` says that the upload is being emptied. The caller removes
 * the bytes; the job `sweep-uploads` tries after two minutes to remove what is left. Returns false
 * when the upload has ended, or another request has changed the id.
 */
export async function restartUpload(db: Db, id: string, now: Date): Promise<boolean> {
  const restarted = db
    .$with('restarted')
    .as(
      db
        .update(uploads)
        .set({ id: sql`gen_random_uuid()` })
        .where(eq(uploads.id, id))
        .returning({ storageKey: uploads.storageKey, storage: uploads.storage }),
    )
  const row = rowValues(removals, {
    storageKey: restarted.storageKey,
    storage: restarted.storage,
    dueAt: sql`${now}::timestamptz`,
    tries: sql`1`,
    tryAt: nextTryAt(0, now),
  })
  const listed = await db
    .with(restarted)
    .insert(removals)
    .select(sql`select ${row} from ${restarted}`)
    .returning(ofUpload)
  return listed.length > 0
}

/**
 * Reserves up to `limit` removals in a store whose next try may begin at `now`, and returns them.
 * Those that another server has reserved are left alone.
 */
export function claimRemovals(
  db: Db,
  { storage, now, limit }: { storage: StorageName; now: Date; limit: number },
): Promise<EndedUpload[]> {
  const due = db
    .select({ key: removals.storageKey })
    .from(removals)
    .where(sql`${removals.storage} = ${storage} and ${removals.tryAt} <= ${now}`)
    .orderBy(removals.tryAt)
    .limit(limit)
    .for('update', { skipLocked: true })
  return db
    .update(removals)
    .set({ tries: sql`${removals.tries} + 1`, tryAt: nextTryAt(removals.tries, now) })
    .where(inArray(removals.storageKey, due))
    .returning(ofUpload)
}

/**
 * Records that storage has confirmed at `now` that no bytes are left under these keys. If the bytes
 * belonged to a file, it also writes the receipt of the file.
 */
export async function endRemovals(db: Db, keys: ReadonlySet<string>, now: Date): Promise<void> {
  if (keys.size === 0) return
  const { fileId, ownerId, storage, storageKey, dueAt } = removals
  const ended = db.$with('ended').as(
    db
      .delete(removals)
      .where(inArray(storageKey, [...keys]))
      .returning({ fileId, ownerId, storage, storageKey, dueAt }),
  )
  // The receipt has no file name, because the owner's whole account was deleted.
  const receipt = rowValues(deletionReceipts, {
    fileId: ended.fileId,
    ownerId: ended.ownerId,
    storage: ended.storage,
    storageKey: ended.storageKey,
    dueAt: ended.dueAt,
    purgedAt: sql`${now}::timestamptz`,
  })
  await db
    .with(ended)
    .insert(deletionReceipts)
    .select(sql`select ${receipt} from ${ended} where file_id is not null`)
}

/**
 * Records a key under which bytes may arrive until `dueAt`, and must be removed then. Storage
 * accepts bytes for this key as for an open upload.
 */
export async function insertRemoval(
  tx: Db,
  { dueAt, ...key }: EndedUpload & { dueAt: Date },
): Promise<void> {
  await tx.insert(removals).values({ ...key, dueAt, tries: 0, tryAt: dueAt })
}

/**
 * Counts the removals, in all stores, that should have happened more than 15 minutes ago. `since`
 * is the moment when the oldest of them should have happened; null if there is none.
 */
export async function countOverdueRemovals(
  db: Db,
  now: Date,
): Promise<{ count: number; since: Date | null }> {
  const [counted] = await db
    .select({
      count: sql`count(*)`.mapWith(Number),
      since: sql`min(${removals.dueAt})`.mapWith(removals.dueAt),
    })
    .from(removals)
    .where(lte(removals.dueAt, new Date(now.getTime() - overdueMs)))
  return counted ?? { count: 0, since: null }
}
