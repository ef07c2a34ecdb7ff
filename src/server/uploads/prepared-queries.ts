import { and, eq, getTableColumns, gt, inArray, lte, notExists, sql } from 'drizzle-orm'
import { rowValues } from '../db/row-values.ts'
import { blockedContent, files, removals, shortCodes, uploads, users } from '../db/schema.ts'
import type { Db } from '../deps.ts'
import type { FileRow } from '../files/queries.ts'
import { type Upload, unfinishedBytes } from './queries.ts'

// Every upload runs each of these statements at least once. They are prepared, because building and
// planning them costs more than running them. A statement that is prepared on a transaction runs in
// that transaction.

/** The columns of `uploads` that `startUpload` fills in. */
const given = [
  'ownerId',
  'storage',
  'storageKey',
  'originalName',
  'mimeType',
  'size',
  'expirationDays',
  'partSize',
  'tier',
  'maxFiles',
  'maxLifetimeDays',
  'idempotencyKey',
] as const

/** A new upload, with the time `now` of its creation, which is its last activity too. */
export type NewUpload = Pick<Upload, (typeof given)[number]> & { now: Date }

/** Two uploads with equal values in these columns count as uploads of the same file. */
const ofSameFile = [uploads.originalName, uploads.mimeType, uploads.size, uploads.expirationDays]
const named = sql.join(ofSameFile, sql`, `)
const excluded = sql.join(
  ofSameFile.map(({ name }) => sql`excluded.${sql.identifier(name)}`),
  sql`, `,
)

/** Returns a placeholder for each of these columns, named like the column. */
function placeholders<Name extends string>(names: readonly Name[]) {
  const entries = names.map((name) => [name, sql.placeholder(name)])
  return Object.fromEntries(entries) as { [N in Name]: ReturnType<typeof sql.placeholder> }
}

/** An upload, with the bytes of its owner's other unconfirmed uploads at the time it was opened. */
export type OpenedUpload = Upload & { unfinished: number }

/**
 * Makes the function that inserts a new upload and returns it. Where the owner has an open upload
 * under the same idempotency key, the function returns that one and notes it as active now. If that
 * upload is of another file, the function changes nothing and returns undefined. `unfinished`
 * counts the bytes of the owner's other uploads (`chargeOf`), but not of those that start at the
 * same moment.
 */
export function prepareInsertUpload(db: Db) {
  const { placeholder } = sql
  const before = db
    .select({ bytes: unfinishedBytes })
    .from(uploads)
    .where(eq(uploads.ownerId, placeholder('ownerId')))
  const query = db
    .insert(uploads)
    .values({
      ...placeholders(given),
      createdAt: placeholder('now'),
      lastActivityAt: placeholder('now'),
    })
    .onConflictDoUpdate({
      target: [uploads.ownerId, uploads.idempotencyKey],
      set: { lastActivityAt: sql`excluded.last_activity_at` },
      setWhere: sql`(${named}) = (${excluded})`,
    })
    .returning({
      ...getTableColumns(uploads),
      unfinished: sql<number>`(${before})`.mapWith(Number),
    })
    .prepare('insert_upload')
  return async (upload: NewUpload): Promise<OpenedUpload | undefined> => {
    const [open] = await query.execute(upload)
    return open
  }
}

/**
 * Makes the function that finds an owner's open upload by its key. The key of another user's upload
 * finds nothing.
 */
export function prepareFindUpload(db: Db) {
  const query = db
    .select()
    .from(uploads)
    .where(
      and(
        eq(uploads.storageKey, sql.placeholder('storageKey')),
        eq(uploads.ownerId, sql.placeholder('ownerId')),
      ),
    )
    .prepare('find_upload')
  return async (ownerId: string, storageKey: string): Promise<Upload | undefined> => {
    const [upload] = await query.execute({ ownerId, storageKey })
    return upload
  }
}

/**
 * The recorded time of the last activity may be this much too early. Most uploads end within that
 * time and need only one write.
 */
const activityMs = 1000

/**
 * Returns the function that records, at most once a second, that bytes arrive for an upload. The
 * function returns false if no bytes may arrive under this key, because neither an open upload nor
 * a test upload of the administrator (`startTestUpload`) has it.
 */
export function prepareTouchUpload(db: Db) {
  const { placeholder } = sql
  const byKey = eq(uploads.storageKey, placeholder('storageKey'))
  const touched = db.$with('touched').as(
    db
      .update(uploads)
      .set({ lastActivityAt: sql`${placeholder('now')}` })
      .where(and(byKey, lte(uploads.lastActivityAt, placeholder('before'))))
      .returning({ id: uploads.id }),
  )
  const ofTest = and(
    eq(removals.storageKey, placeholder('storageKey')),
    gt(removals.dueAt, placeholder('now')),
  )
  const open = db
    .select({ key: uploads.storageKey })
    .from(uploads)
    .where(byKey)
    .unionAll(db.select({ key: removals.storageKey }).from(removals).where(ofTest))
    .as('open')
  const query = db.with(touched).select({ key: open.key }).from(open).prepare('touch_upload')
  return async (storageKey: string, now: Date): Promise<boolean> => {
    const before = new Date(now.getTime() - activityMs)
    return (await query.execute({ storageKey, now, before })).length > 0
  }
}

/** The fields of a new file that do not come from its upload. */
export type FileFacts = Pick<
  FileRow,
  | 'shortCode'
  | 'createdAt'
  | 'expiresAt'
  | 'maxLifetimeAt'
  | 'uploadDuration'
  | 'sha256'
  | 'isContentProved'
>

/**
 * Returns the function that turns an upload into a file. One statement deletes the upload, records
 * that the short code is taken, and inserts the file. The function returns undefined when the
 * upload has ended or was started again, when its content is blocked, or when its owner was
 * deleted. If several callers do this at the same time, only one of them gets the file. If the
 * short code was taken before, the whole statement fails.
 *
 * The new row of the file locks its owner's row against deletion. The statement locks the owner
 * before the upload, as the deletion of a user does. In any other order, the two could wait for
 * each other.
 */
export function prepareMakeFile(db: Db) {
  const { placeholder } = sql
  const moment = (name: string) => sql<Date>`${placeholder(name)}::timestamptz`
  const sha256 = sql`${placeholder('sha256')}::text`
  const blocked = db
    .select({ sha256: blockedContent.sha256 })
    .from(blockedContent)
    .where(eq(blockedContent.sha256, sha256))
  const owner = db.$with('owner').as(
    db
      .select({ id: users.id })
      .from(users)
      .innerJoin(uploads, eq(uploads.ownerId, users.id))
      .where(eq(uploads.id, placeholder('uploadId')))
      .for('key share', { of: users }),
  )
  const ended = db.$with('ended').as(
    db
      .delete(uploads)
      .where(
        and(
          eq(uploads.id, placeholder('uploadId')),
          inArray(uploads.ownerId, db.select({ id: owner.id }).from(owner)),
          notExists(blocked),
        ),
      )
      .returning(),
  )
  const issued = db.$with('issued').as(
    db
      .insert(shortCodes)
      .select(sql`select ${placeholder('shortCode')}, ${moment('createdAt')} from ${ended}`)
      .returning({ code: shortCodes.code }),
  )
  const row = rowValues(files, {
    ownerId: ended.ownerId,
    storage: ended.storage,
    storageKey: ended.storageKey,
    originalName: ended.originalName,
    mimeType: ended.mimeType,
    size: ended.size,
    shortCode: issued.code,
    createdAt: moment('createdAt'),
    expiresAt: moment('expiresAt'),
    maxLifetimeAt: moment('maxLifetimeAt'),
    uploadDuration: sql`${placeholder('uploadDuration')}::real`,
    sha256,
    isContentProved: sql`${placeholder('isContentProved')}::boolean`,
  })
  const query = db
    .with(owner, ended, issued)
    .insert(files)
    .select(sql`select ${row} from ${ended} cross join ${issued}`)
    .returning()
    .prepare('make_file')
  return async (uploadId: string, facts: FileFacts): Promise<FileRow | undefined> => {
    const [file] = await query.execute({ uploadId, ...facts })
    return file
  }
}

/** The statements that uploads use outside of transactions. */
export function prepareUploads(db: Db) {
  return {
    insertUpload: prepareInsertUpload(db),
    findUpload: prepareFindUpload(db),
    makeFile: prepareMakeFile(db),
  }
}

export type UploadStatements = ReturnType<typeof prepareUploads>
