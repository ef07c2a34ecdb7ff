import {
  and,
  count,
  eq,
  getTableColumns,
  gt,
  inArray,
  isNull,
  lte,
  type SQL,
  sql,
} from 'drizzle-orm'
import { slotTimeoutMs } from '../../shared/rules/files/retention.ts'
import type { StorageName } from '../../shared/rules/files/storage-name.ts'
import { minuteInMs } from '../../shared/rules/format/units.ts'
import { datesAfterConfirm } from '../../shared/rules/links/lifetime.ts'
import { blockedContent, files, links, removals, uploads, users } from '../db/schema.ts'
import type { Db } from '../deps.ts'
import { purgeAtOf, renewalEndsAt, updatePurgeTimes } from '../files/purge-queries.ts'
import { type FileRow, isLinkOfFile } from '../files/queries.ts'
import { type LinkOfUpload, linkColumnsOfUpload, recountLinks } from '../links/queries.ts'

export type UploadRow = typeof uploads.$inferSelect

/** An open upload with what its confirmation needs of its link. */
export type Upload = UploadRow & { link: LinkOfUpload }

const uploadColumns = { ...getTableColumns(uploads), link: linkColumnsOfUpload }

function selectUploads(db: Db) {
  return db.select(uploadColumns).from(links).innerJoin(uploads, eq(uploads.linkId, links.id))
}

/**
 * Locks the owner's open uploads with these idempotency keys, and returns them by key. Marks an
 * upload as active only if it has had any activity since its start: a client mustn't be able to
 * hold a slot just by repeating the start.
 */
export async function resumeRepeated(
  tx: Db,
  ownerId: string,
  keys: readonly string[],
  now: Date,
): Promise<ReadonlyMap<string | null, Upload>> {
  if (keys.length === 0) return new Map()
  const foundUploads = await selectUploads(tx)
    .where(and(eq(uploads.ownerId, ownerId), inArray(uploads.idempotencyKey, [...keys])))
    .orderBy(uploads.storageKey)
    .for('update', { of: uploads })
  const active = foundUploads.filter(({ createdAt, lastActivityAt }) => lastActivityAt > createdAt)
  if (active.length > 0) {
    const ids = active.map(({ id }) => id)
    await tx.update(uploads).set({ lastActivityAt: now }).where(inArray(uploads.id, ids))
  }
  return new Map(foundUploads.map((upload) => [upload.idempotencyKey, upload]))
}

/** Inserts uploads. Returns them in the same order. */
export function insertUploads(
  tx: Db,
  newUploads: (typeof uploads.$inferInsert)[],
): Promise<UploadRow[]> {
  return tx.insert(uploads).values(newUploads).returning()
}

/**
 * Finds an owner's open uploads, by storage key. `hasBlockedSize` is true if blocked content has
 * the same size; other files can't contain any.
 */
export async function findUploads(
  db: Db,
  ownerId: string,
  storageKeys: readonly string[],
): Promise<ReadonlyMap<string, Upload & { hasBlockedSize: boolean }>> {
  const blocked = db
    .select({ size: blockedContent.size })
    .from(blockedContent)
    .where(eq(blockedContent.size, uploads.size))
  const foundUploads = await db
    .select({ ...uploadColumns, hasBlockedSize: sql<boolean>`exists (${blocked})` })
    .from(links)
    .innerJoin(uploads, eq(uploads.linkId, links.id))
    .where(isOwnedUpload(ownerId, storageKeys))
  return byKey(foundUploads)
}

/** Like `findUploads`, but locks the uploads and their links until the transaction ends. */
export async function lockUploads(
  tx: Db,
  ownerId: string,
  storageKeys: readonly string[],
): Promise<ReadonlyMap<string, Upload>> {
  const lockedUploads = await selectUploads(tx)
    .where(isOwnedUpload(ownerId, storageKeys))
    .orderBy(links.id, uploads.storageKey)
    .for('update')
  return byKey(lockedUploads)
}

function byKey<Found extends Upload>(foundUploads: readonly Found[]): ReadonlyMap<string, Found> {
  return new Map(foundUploads.map((upload) => [upload.storageKey, upload]))
}

export function isOwnedUpload(ownerId: string, storageKeys: readonly string[]): SQL | undefined {
  return and(eq(uploads.ownerId, ownerId), inArray(uploads.storageKey, [...storageKeys]))
}

/** An upload with what its confirmation adds. */
export interface NewFile
  extends Pick<FileRow, 'uploadDuration' | 'sha256' | 'crc32' | 'isContentProved'> {
  upload: Upload
}

/**
 * Turns locked uploads into files. The owner must be locked too, because the tier decides when
 * files are purged.
 */
export async function insertFiles(
  tx: Db,
  newFiles: readonly NewFile[],
  now: Date,
): Promise<FileRow[]> {
  const insertedFiles: FileRow[] = []
  for (const filesOfLink of Map.groupBy(newFiles, ({ upload }) => upload.linkId).values()) {
    const [{ upload: firstUpload }] = filesOfLink as [NewFile, ...NewFile[]]
    const link = await updateLink(tx, firstUpload.link, filesOfLink.length, now)
    const { shortCode, expiresAt, maxLifetimeAt } = link
    const dates = {
      expiresAt: sql`${expiresAt}::timestamptz`,
      maxLifetimeAt: sql`${maxLifetimeAt}::timestamptz`,
    }
    const renewalEnd = sql`(select ${renewalEndsAt(now)} from ${users} where ${users.id} = ${link.ownerId})`
    const uploadIds = filesOfLink.map(({ upload }) => upload.id)
    const endedUploads = tx
      .$with('ended_uploads')
      .as(tx.delete(uploads).where(inArray(uploads.id, uploadIds)))
    const rows = await tx
      .with(endedUploads)
      .insert(files)
      .values(
        filesOfLink.map(({ upload, ...fields }) => ({
          id: upload.id,
          ownerId: upload.ownerId,
          storage: upload.storage,
          storageKey: upload.storageKey,
          originalName: upload.originalName,
          mimeType: upload.mimeType,
          size: upload.size,
          linkId: upload.linkId,
          position: upload.position,
          createdAt: now,
          ...fields,
          purgeAt: purgeAtOf(dates, renewalEnd),
        })),
      )
      .returning()
    insertedFiles.push(...rows.map((file) => ({ ...file, shortCode, expiresAt, maxLifetimeAt })))
  }
  return insertedFiles
}

/**
 * Counts a link's uploads that become files. Sets the dates of a link that gets its first file or
 * its last ones. Returns the link.
 */
async function updateLink(
  tx: Db,
  link: LinkOfUpload,
  confirmedCount: number,
  now: Date,
): Promise<LinkOfUpload> {
  const pendingCount = link.pendingCount - confirmedCount
  const hasFiles = link.fileCount > link.pendingCount
  const isComplete = pendingCount === 0
  const dates = datesAfterConfirm(link, { hasFiles, isComplete }, now)
  await tx
    .update(links)
    .set({ pendingCount, ...dates })
    .where(eq(links.id, link.id))
  if (hasFiles && isComplete && !link.readyAt) {
    await updatePurgeTimes(tx, link.ownerId, now, eq(files.linkId, link.id))
  }
  return { ...link, pendingCount, ...dates }
}

/** Counts a user's files with active links. */
export async function countActiveFiles(db: Db, ownerId: string, now: Date): Promise<number> {
  const [row] = await db
    .select({ count: count() })
    .from(files)
    .innerJoin(links, isLinkOfFile)
    .where(and(eq(files.ownerId, ownerId), gt(links.expiresAt, now), isNull(files.purgingAt)))
  return row?.count ?? 0
}

/**
 * Counts a user's open uploads and those active in the last 15 minutes, and sums the bytes of all
 * open uploads. Each upload counts as at least `minBytes`.
 */
export async function countUploads(
  db: Db,
  ownerId: string,
  minBytes: number,
  now: Date,
): Promise<{ open: number; active: number; bytes: number }> {
  const isActive = gt(uploads.lastActivityAt, idleSince(now))
  const [counts] = await db
    .select({
      open: sql`count(*)`.mapWith(Number),
      active: sql`count(*) filter (where ${isActive})`.mapWith(Number),
      bytes: sql`coalesce(sum(greatest(${uploads.size}, ${minBytes})), 0)`.mapWith(Number),
    })
    .from(uploads)
    .where(eq(uploads.ownerId, ownerId))
  return counts ?? { open: 0, active: 0, bytes: 0 }
}

/** Uploads are idle if their last activity was before this time. */
function idleSince(now: Date): Date {
  return new Date(now.getTime() - slotTimeoutMs)
}

/** Marks an owner's open upload as active and returns it. */
export async function touchOwnUpload(
  db: Db,
  ownerId: string,
  storageKey: string,
  now: Date,
): Promise<UploadRow | undefined> {
  const [upload] = await db
    .update(uploads)
    .set({ lastActivityAt: now })
    .where(isOwnedUpload(ownerId, [storageKey]))
    .returning()
  return upload
}

/** Sets the size of an open upload whose length was unknown. */
export function setUploadSize(db: Db, { id, linkId }: UploadRow, size: number): Promise<void> {
  return db.transaction(async (tx) => {
    await tx.select({ id: links.id }).from(links).where(eq(links.id, linkId)).for('update')
    await tx.update(uploads).set({ size }).where(eq(uploads.id, id))
    await recountLinks(tx, [linkId])
  })
}

/** Recorded activity may lag by this much, so most uploads record it only once. */
const activityMs = 1000

/**
 * Marks an upload as active when bytes arrive. Returns false if the key belongs to no open upload
 * and no test upload (`startTestUpload`).
 */
export async function touchUpload(db: Db, storageKey: string, now: Date): Promise<boolean> {
  const [upload] = await db
    .select({ lastActivityAt: uploads.lastActivityAt })
    .from(uploads)
    .where(eq(uploads.storageKey, storageKey))
  if (!upload) {
    const isTestUpload = and(eq(removals.storageKey, storageKey), gt(removals.dueAt, now))
    return (await db.$count(removals, isTestUpload)) > 0
  }
  const activityCutoff = new Date(now.getTime() - activityMs)
  if (upload.lastActivityAt <= activityCutoff) {
    // Skip a locked row, because its transaction may be waiting for this transfer.
    const unlockedUpload = db
      .select({ id: uploads.id })
      .from(uploads)
      .where(and(eq(uploads.storageKey, storageKey), lte(uploads.lastActivityAt, activityCutoff)))
      .for('update', { skipLocked: true })
    await db.update(uploads).set({ lastActivityAt: now }).where(inArray(uploads.id, unlockedUpload))
  }
  return true
}

/**
 * Corrects activity times in the future, which a server wrote while its clock was ahead. Otherwise,
 * the uploads would hold a slot until then. Allows for clock skew of up to a minute between
 * servers.
 */
export async function resetFutureActivity(db: Db, now: Date): Promise<void> {
  await db
    .update(uploads)
    .set({ lastActivityAt: now })
    .where(gt(uploads.lastActivityAt, new Date(now.getTime() + minuteInMs)))
}

const sumOfFiles = sql`coalesce(sum(${files.size}), 0)`.mapWith(Number)

/**
 * Sums the bytes of files and open uploads. Uses a single statement, so that an upload being
 * confirmed counts once.
 */
export async function sumStored(db: Db): Promise<{ files: number; uploads: number }> {
  const fileSum = db.select({ sum: sumOfFiles }).from(files).where(isNull(files.purgedAt))
  const [sums] = await db
    .select({
      files: sql`(${fileSum})`.mapWith(Number),
      uploads: sql`coalesce(sum(${uploads.size}), 0)`.mapWith(Number),
    })
    .from(uploads)
  return sums ?? { files: 0, uploads: 0 }
}

/**
 * Returns the total of `sumStored`. Takes a lock until the transaction ends, so that parallel
 * uploads can't exceed the storage cap.
 */
export async function sumStoredUnderLock(tx: Db): Promise<number> {
  await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended('mayfly: all uploads', 0))`)
  const storedBytes = await sumStored(tx)
  return storedBytes.files + storedBytes.uploads
}

/** Returns the total size of the files in this store, except purged ones. */
export async function sumFilesIn(db: Db, store: StorageName): Promise<number> {
  const [row] = await db
    .select({ sum: sumOfFiles })
    .from(files)
    .where(and(eq(files.storage, store), isNull(files.purgedAt)))
  return row?.sum ?? 0
}

/** True if this store has the bytes of an open upload, or of a file that isn't purged. */
export async function hasObjectsIn(db: Db, storage: StorageName): Promise<boolean> {
  const [stored] = await db
    .select({ key: files.storageKey })
    .from(files)
    .where(and(eq(files.storage, storage), isNull(files.purgedAt)))
    .unionAll(
      db.select({ key: uploads.storageKey }).from(uploads).where(eq(uploads.storage, storage)),
    )
    .limit(1)
  return stored !== undefined
}
