import { and, eq, getTableColumns, gt, lte, sql } from 'drizzle-orm'
import { prepareFindBlocked } from '../abuse/queries.ts'
import { jsonRows } from '../db/json-rows.ts'
import { keysForPlan } from '../db/keys-for-plan.ts'
import { rowValues, valuesOf } from '../db/row-values.ts'
import { removals, uploads, users } from '../db/schema.ts'
import { workTogether } from '../db/together.ts'
import type { Db } from '../deps.ts'
import { makeFilesTogether, prepareMakeFiles } from './make-files-query.ts'
import { type Upload, unfinishedBytes } from './queries.ts'

// Nearly every upload runs most of these statements. They are prepared, because building and
// planning them costs more than running them. A statement that is prepared on a transaction runs in
// that transaction.

/** The columns of `uploads` that `startUploads` fills in, but for the owner and the dates. */
const given = [
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

/** A new upload. */
export type NewUpload = Pick<Upload, (typeof given)[number]>

/** Two uploads with equal values in these columns count as uploads of the same file. */
const ofSameFile = [uploads.originalName, uploads.mimeType, uploads.size, uploads.expirationDays]
const named = sql.join(ofSameFile, sql`, `)
const excluded = sql.join(
  ofSameFile.map(({ name }) => sql`excluded.${sql.identifier(name)}`),
  sql`, `,
)

/** An upload, with the bytes of its owner's other unconfirmed uploads at the time it was opened. */
export type OpenedUpload = Upload & { unfinished: number }

/**
 * Makes the function that inserts new uploads of one owner and returns them, in the order of the
 * given ones. Where the owner has an open upload under the same idempotency key, the function
 * returns that one, and notes it as active now if it was active since its start. If that upload is
 * of another file, the function changes nothing and returns undefined in its place. `unfinished`
 * counts the bytes of the owner's other uploads (`chargeOf`), but not of those that start at the
 * same moment. No two of the new uploads may have the same idempotency key.
 */
export function prepareInsertUploads(db: Db) {
  const { placeholder } = sql
  const before = db
    .select({ bytes: unfinishedBytes })
    .from(uploads)
    .where(eq(uploads.ownerId, placeholder('ownerId')))
  const now = sql`${placeholder('now')}::timestamptz`
  const wanted = (name: (typeof given)[number]) => sql`wanted.${sql.identifier(name)}`
  const row = rowValues(uploads, {
    ownerId: sql`${placeholder('ownerId')}::text`,
    ...valuesOf(given, wanted),
    createdAt: now,
    lastActivityAt: now,
  })
  const owner = db.$with('owner').as(
    db
      .select({ id: users.id })
      .from(users)
      .where(eq(users.id, placeholder('ownerId')))
      .for('key share'),
  )
  const query = db
    .with(owner)
    .insert(uploads)
    // Open uploads that are found again are locked in the order of `lockOrder`. The owner is locked
    // before them, as in the deletion of a user. New rows lock their owner anyway, but only at the
    // end of the statement. The condition is always true, also without an owner; Postgres evaluates
    // it before the first row.
    .select(
      sql`select ${row} from ${jsonRows(placeholder('wanted'), 'wanted', uploads, given)}
        where (select count(*) from ${owner}) >= 0
        order by ${wanted('idempotencyKey')}`,
    )
    .onConflictDoUpdate({
      target: [uploads.ownerId, uploads.idempotencyKey],
      // An upload for which nothing has happened since its start must not hold its room for as long
      // as the start is repeated.
      set: {
        lastActivityAt: sql`case when ${uploads.lastActivityAt} = ${uploads.createdAt}
          then ${uploads.lastActivityAt} else excluded.last_activity_at end`,
      },
      setWhere: sql`(${named}) = (${excluded})`,
    })
    .returning({
      ...getTableColumns(uploads),
      unfinished: sql<number>`(${before})`.mapWith(Number),
    })
    .prepare('insert_uploads')
  return async (
    ownerId: string,
    wanted: readonly NewUpload[],
    now: Date,
  ): Promise<(OpenedUpload | undefined)[]> => {
    if (wanted.length === 0) return []
    const opened = await query.execute({ ownerId, wanted: JSON.stringify(wanted), now })
    const byStorageKey = new Map(opened.map((upload) => [upload.storageKey, upload]))
    const byIdempotencyKey = new Map(opened.map((upload) => [upload.idempotencyKey, upload]))
    return wanted.map(
      ({ storageKey, idempotencyKey }) =>
        byStorageKey.get(storageKey) ??
        (idempotencyKey === null ? undefined : byIdempotencyKey.get(idempotencyKey)),
    )
  }
}

/** An open upload, and whether bytes of it are just being removed (`restartUpload`). */
export type FoundUpload = Upload & { isBeingEmptied: boolean }

/**
 * Makes the function that finds an owner's open uploads by their keys. The key of another user's
 * upload finds nothing. Calls for one owner that come at the same moment share one query.
 */
export function prepareFindUploads(db: Db) {
  const query = db
    .select({ ...getTableColumns(uploads), emptied: removals.storageKey })
    .from(uploads)
    .leftJoin(removals, eq(removals.storageKey, uploads.storageKey))
    .where(
      and(
        sql`${uploads.storageKey} = any(${sql.placeholder('storageKeys')})`,
        eq(uploads.ownerId, sql.placeholder('ownerId')),
      ),
    )
    .prepare('find_uploads')
  const find = workTogether<string, FoundUpload | undefined>(async (ownerId, storageKeys) => {
    const found = await query.execute({ ownerId, storageKeys: keysForPlan(storageKeys) })
    const byKey = new Map(
      found.map(({ emptied, ...upload }) => [
        upload.storageKey,
        { ...upload, isBeingEmptied: emptied !== null },
      ]),
    )
    return storageKeys.map((storageKey) => byKey.get(storageKey))
  })
  return async (
    ownerId: string,
    wanted: readonly string[],
  ): Promise<ReadonlyMap<string, FoundUpload>> => {
    const found = await find(ownerId, wanted)
    return new Map(found.flatMap((upload) => (upload ? [[upload.storageKey, upload]] : [])))
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
 * a test upload of the administrator (`startTestUpload`) has it. It never waits for another
 * transaction.
 */
export function prepareTouchUpload(db: Db) {
  const { placeholder } = sql
  const byKey = eq(uploads.storageKey, placeholder('storageKey'))
  // A row that another transaction has locked is not touched. That transaction may be waiting for
  // the very transfer that calls this, to remove the bytes.
  const free = db
    .select({ storageKey: uploads.storageKey })
    .from(uploads)
    .where(and(byKey, lte(uploads.lastActivityAt, placeholder('before'))))
    .for('update', { skipLocked: true })
  const touched = db.$with('touched').as(
    db
      .update(uploads)
      .set({ lastActivityAt: sql`${placeholder('now')}` })
      .where(sql`${uploads.storageKey} = any(array${free})`)
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

/**
 * The statements that uploads use outside of transactions. Confirms of one owner that come at the
 * same moment share one statement that makes their files.
 */
export function prepareUploads(db: Db) {
  return {
    insertUploads: prepareInsertUploads(db),
    findUploads: prepareFindUploads(db),
    findBlocked: prepareFindBlocked(db),
    makeFiles: makeFilesTogether(prepareMakeFiles(db)),
  }
}

export type UploadStatements = ReturnType<typeof prepareUploads>
