import { and, desc, eq, gt, inArray, isNull, lt, lte, sql } from 'drizzle-orm'
import type { TierFacts } from '../../shared/rules/trial.ts'
import { files, shortCodes, uploads, users } from '../db/schema.ts'
import type { Db } from '../deps.ts'
import type { FileRow } from '../files/queries.ts'
import type { StorageName } from '../storage/storage.ts'

export type Upload = typeof uploads.$inferSelect
/** Where an upload's bytes are. */
export type StoredUpload = Pick<Upload, 'cloudKey' | 'storage'>

const storedUpload = { cloudKey: uploads.cloudKey, storage: uploads.storage }

/** Design §6: an abandoned upload locks nobody out for more than 15 minutes. */
const placeHeldMs = 15 * 60 * 1000

/**
 * Locks a user until the transaction ends, so that limits are counted by one request at a time, and
 * answers what decides the tier.
 */
export const lockOwner = async (tx: Db, userId: string): Promise<TierFacts | undefined> => {
  const [owner] = await tx
    .select({
      tier: users.tier,
      premiumTrialStartedAt: users.premiumTrialStartedAt,
      premiumTrialEndsAt: users.premiumTrialEndsAt,
    })
    .from(users)
    .where(eq(users.id, userId))
    .for('update')
  return owner
}

/**
 * A user's active files and open uploads at `now`. An upload holds its place while bytes arrive and
 * for 15 minutes after. With `since`, of the uploads only those begun after that one count: they
 * took their places when it held its own or had lost it, and it had its own before or beside theirs.
 * So one that is taken up again after it lost its place refuses none of those that have theirs.
 */
export const countFilesInUse = async (
  tx: Db,
  ownerId: string,
  now: Date,
  since: Pick<Upload, 'createdAt' | 'id'> | null,
): Promise<number> => {
  const active = tx.$count(
    files,
    and(eq(files.ownerId, ownerId), gt(files.expiresAt, now), isNull(files.purgingAt)),
  )
  const open = tx.$count(
    uploads,
    and(
      eq(uploads.ownerId, ownerId),
      gt(uploads.lastActivityAt, new Date(now.getTime() - placeHeldMs)),
      since === null
        ? undefined
        : sql`(${uploads.createdAt}, ${uploads.id}) > (${since.createdAt}, ${since.id}::uuid)`,
    ),
  )
  const [row] = await tx
    .select({ inUse: sql<number>`(${active} + ${open})::int` })
    .from(sql`(select 1)`)
  return row?.inUse ?? 0
}

/** What an upload is when it starts. */
export type NewUpload = Omit<
  typeof uploads.$inferInsert,
  'id' | 'partSize' | 'createdAt' | 'lastActivityAt'
> & { partSize: number; now: Date }

/** Makes the function that writes down a new upload. */
export const prepareInsertUpload = (db: Db) => {
  const { placeholder } = sql
  const query = db
    .insert(uploads)
    .values({
      ownerId: placeholder('ownerId'),
      storage: placeholder('storage'),
      cloudKey: placeholder('cloudKey'),
      originalName: placeholder('originalName'),
      mimeType: placeholder('mimeType'),
      size: placeholder('size'),
      expirationDays: placeholder('expirationDays'),
      partSize: placeholder('partSize'),
      createdAt: placeholder('now'),
      lastActivityAt: placeholder('now'),
    })
    .prepare('insert_upload')
  return async (upload: NewUpload): Promise<void> => {
    await query.execute(upload)
  }
}

/** Makes the function that finds an open upload by its key and owner; a stranger's key finds nothing. */
export const prepareFindUpload = (db: Db) => {
  const query = db
    .select()
    .from(uploads)
    .where(
      and(
        eq(uploads.cloudKey, sql.placeholder('cloudKey')),
        eq(uploads.ownerId, sql.placeholder('ownerId')),
      ),
    )
    .prepare('find_upload')
  return async (ownerId: string, cloudKey: string): Promise<Upload | undefined> => {
    const [upload] = await query.execute({ ownerId, cloudKey })
    return upload
  }
}

/** What is noted of activity may be this old: most uploads are over sooner, and are noted once. */
const activityMs = 1000

/**
 * Makes the function that notes, to the second, that bytes are arriving under a key; it answers false
 * when no open upload has the key.
 */
export const prepareTouchUpload = (db: Db) => {
  const { placeholder } = sql
  const byKey = eq(uploads.cloudKey, placeholder('cloudKey'))
  const touched = db.$with('touched').as(
    db
      .update(uploads)
      .set({ lastActivityAt: sql`${placeholder('now')}` })
      .where(and(byKey, lte(uploads.lastActivityAt, placeholder('before'))))
      .returning({ id: uploads.id }),
  )
  const query = db
    .with(touched)
    .select({ id: uploads.id })
    .from(uploads)
    .where(byKey)
    .prepare('touch_upload')
  return async (cloudKey: string, now: Date): Promise<boolean> => {
    const before = new Date(now.getTime() - activityMs)
    return (await query.execute({ cloudKey, now, before })).length > 0
  }
}

/** What a file is besides what its upload was. */
export type FileFacts = Pick<
  FileRow,
  'shortCode' | 'createdAt' | 'expiresAt' | 'maxLifetimeAt' | 'uploadDuration' | 'sha256'
>

/**
 * Makes the function that makes a file of an upload found before: in one statement the upload ends,
 * the short code is recorded as given and the file is there. Undefined when the upload is over, or
 * was begun anew since; of parallel callers exactly one gets the file. A short code that was given
 * before fails it whole, and nothing has happened.
 */
export const prepareMakeFile = (db: Db) => {
  const { placeholder } = sql
  const moment = (name: string) => sql<Date>`${placeholder(name)}::timestamptz`
  const ended = db.$with('ended').as(
    db
      .delete(uploads)
      .where(eq(uploads.id, placeholder('uploadId')))
      .returning(),
  )
  const issued = db.$with('issued').as(
    db
      .insert(shortCodes)
      .select(sql`select ${placeholder('shortCode')}, ${moment('createdAt')} from ${ended}`)
      .returning({ code: shortCodes.code }),
  )
  const query = db
    .with(ended, issued)
    .insert(files)
    .select(
      db
        .select({
          id: sql<string>`gen_random_uuid()`.as('id'),
          ownerId: ended.ownerId,
          storage: ended.storage,
          storageKey: ended.cloudKey,
          originalName: ended.originalName,
          mimeType: ended.mimeType,
          size: ended.size,
          shortCode: issued.code,
          createdAt: moment('createdAt').as('created_at'),
          expiresAt: moment('expiresAt').as('expires_at'),
          maxLifetimeAt: moment('maxLifetimeAt').as('max_lifetime_at'),
          downloadCount: sql<number>`0`.as('download_count'),
          uploadDuration: sql`${placeholder('uploadDuration')}::real`.as('upload_duration'),
          sha256: sql`${placeholder('sha256')}::text`.as('sha256'),
          deletedAt: sql`null::timestamptz`.as('deleted_at'),
          purgingAt: sql`null::timestamptz`.as('purging_at'),
          purgedAt: sql`null::timestamptz`.as('purged_at'),
        })
        .from(ended)
        .crossJoin(issued),
    )
    .returning()
    .prepare('make_file')
  return async (uploadId: string, facts: FileFacts): Promise<FileRow | undefined> => {
    const [file] = await query.execute({ uploadId, ...facts })
    return file
  }
}

/** Finds an open upload by its key and owner and notes, in one statement, that its owner is at it. */
export const touchOwnUpload = async (
  db: Db,
  ownerId: string,
  cloudKey: string,
  now: Date,
): Promise<Upload | undefined> => {
  const [upload] = await db
    .update(uploads)
    .set({ lastActivityAt: now })
    .where(and(eq(uploads.cloudKey, cloudKey), eq(uploads.ownerId, ownerId)))
    .returning()
  return upload
}

/**
 * Begins an upload anew, since its bytes are to go: from when the transaction ends, whoever found it
 * before finds it no more by its id. False when it is over, or somebody else did the same.
 */
export const renewUpload = async (tx: Db, id: string): Promise<boolean> => {
  const renewed = await tx
    .update(uploads)
    .set({ id: sql`gen_random_uuid()` })
    .where(eq(uploads.id, id))
    .returning({ id: uploads.id })
  return renewed.length > 0
}

/** Ends an upload. Of parallel callers exactly one is told which it was. */
export const deleteUpload = async (
  db: Db,
  ownerId: string,
  cloudKey: string,
): Promise<StoredUpload | undefined> => {
  const [gone] = await db
    .delete(uploads)
    .where(and(eq(uploads.cloudKey, cloudKey), eq(uploads.ownerId, ownerId)))
    .returning(storedUpload)
  return gone
}

/** Ends up to `limit` uploads that were last active before `before` and answers which they were. */
export const takeIdleUploads = async (
  db: Db,
  before: Date,
  limit: number,
): Promise<StoredUpload[]> => {
  const idle = db
    .select({ id: uploads.id })
    .from(uploads)
    .where(lt(uploads.lastActivityAt, before))
    .limit(limit)
    .for('update', { skipLocked: true })
  return db.delete(uploads).where(inArray(uploads.id, idle)).returning(storedUpload)
}

/** Ends all of a user's uploads but the `keep` last active ones, and answers which they were. */
export const takeSurplusUploads = async (
  tx: Db,
  ownerId: string,
  keep: number,
): Promise<StoredUpload[]> => {
  const surplus = tx
    .select({ id: uploads.id })
    .from(uploads)
    .where(eq(uploads.ownerId, ownerId))
    .orderBy(desc(uploads.lastActivityAt), desc(uploads.createdAt))
    .offset(keep)
  return tx.delete(uploads).where(inArray(uploads.id, surplus)).returning(storedUpload)
}

/** Whether an upload, or a file that still has its bytes, is kept in this store. */
export const namesObjectsIn = async (db: Db, storage: StorageName): Promise<boolean> => {
  const [named] = await db
    .select({ key: files.storageKey })
    .from(files)
    .where(and(eq(files.storage, storage), isNull(files.purgedAt)))
    .unionAll(
      db.select({ key: uploads.cloudKey }).from(uploads).where(eq(uploads.storage, storage)),
    )
    .limit(1)
  return named !== undefined
}

/** Of these keys, those that an upload or a file names. */
export const findNamedKeys = async (db: Db, keys: string[]): Promise<Set<string>> => {
  const named = await db
    .select({ key: uploads.cloudKey })
    .from(uploads)
    .where(inArray(uploads.cloudKey, keys))
    .unionAll(
      db.select({ key: files.storageKey }).from(files).where(inArray(files.storageKey, keys)),
    )
  return new Set(named.map(({ key }) => key))
}

/** The statements that every upload takes, prepared: to build and plan them anew costs more than to run them. */
export const prepareUploads = (db: Db) => ({
  insertUpload: prepareInsertUpload(db),
  findUpload: prepareFindUpload(db),
  makeFile: prepareMakeFile(db),
})

export type UploadStatements = ReturnType<typeof prepareUploads>
