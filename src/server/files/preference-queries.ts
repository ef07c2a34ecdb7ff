import { and, eq, gt, inArray, isNull, lte, type SQL, sql } from 'drizzle-orm'
import { defaultPreferences, type Preferences } from '../../shared/rules/accounts/preferences.ts'
import { tiers, tierTraits } from '../../shared/rules/tiers/tier.ts'
import { files, firstDownloads, preferences, users } from '../db/schema.ts'
import type { Db } from '../deps.ts'
import { tierAt } from '../tiers/queries.ts'
import type { FileRow } from './queries.ts'

const tiersWithFileManager = tiers.filter((tier) => tierTraits[tier].fileManager)

/** SQL: true if the owner's tier has the File Manager, which includes the emails about files. */
function hasFileManager(now: Date): SQL {
  return inArray(tierAt(now), tiersWithFileManager)
}

function toPreferences(row: typeof preferences.$inferSelect): Preferences {
  return {
    defaultExpirationDays: row.defaultExpirationDays,
    mailOnFirstDownload: row.mailOnFirstDownload,
    mailBeforeExpiry: row.mailBeforeExpiry,
  }
}

/** Returns a user's preferences, or the defaults if none are stored. */
export async function readPreferences(db: Db, userId: string): Promise<Preferences> {
  const [row] = await db.select().from(preferences).where(eq(preferences.userId, userId))
  return row ? toPreferences(row) : defaultPreferences
}

/** Updates some of a user's preferences. Returns all of them. */
export async function writePreferences(
  db: Db,
  userId: string,
  changes: Partial<Preferences>,
): Promise<Preferences> {
  const [row] = await db
    .insert(preferences)
    .values({ userId, ...defaultPreferences, ...changes })
    .onConflictDoUpdate({ target: preferences.userId, set: { userId, ...changes } })
    .returning()
  if (!row) throw new Error('the preferences were not written')
  return toPreferences(row)
}

/**
 * Finds owners with files in `first_downloads`. Returns up to `limit` ids in ascending order,
 * starting after the id `after`.
 */
export async function findOwnersOfFirstDownloads(
  db: Db,
  after: string,
  limit: number,
): Promise<string[]> {
  const rows = await db
    .selectDistinct({ ownerId: firstDownloads.ownerId })
    .from(firstDownloads)
    .where(gt(firstDownloads.ownerId, after))
    .orderBy(firstDownloads.ownerId)
    .limit(limit)
  return rows.map(({ ownerId }) => ownerId)
}

/** Removes up to `limit` of an owner's rows from `first_downloads`. Returns their file ids. */
export async function takeFirstDownloads(
  tx: Db,
  ownerId: string,
  limit: number,
): Promise<string[]> {
  const dueFiles = tx
    .select({ fileId: firstDownloads.fileId })
    .from(firstDownloads)
    .where(eq(firstDownloads.ownerId, ownerId))
    .orderBy(firstDownloads.fileId)
    .limit(limit)
    .for('update')
  const deletedRows = await tx
    .delete(firstDownloads)
    .where(inArray(firstDownloads.fileId, dueFiles))
    .returning({ fileId: firstDownloads.fileId })
  return deletedRows.map(({ fileId }) => fileId)
}

/**
 * Matches links that expire between `now` and `until` and whose expiry email hasn't been queued.
 */
function needsExpiryEmail(now: Date, until: Date) {
  return and(
    gt(files.expiresAt, now),
    lte(files.expiresAt, until),
    isNull(files.purgingAt),
    isNull(files.deletedAt),
    sql`${files.notifiedExpiresAt} is distinct from ${files.expiresAt}`,
  )
}

/**
 * Finds owners who want an email about links that expire between `now` and `until`. Returns up to
 * `limit` ids in ascending order, starting after the id `after`.
 */
export async function findOwnersOfExpiringLinks(
  db: Db,
  { now, until }: { now: Date; until: Date },
  after: string,
  limit: number,
): Promise<string[]> {
  // Without this limit, Postgres may read all users.
  const user = db.select().from(users).where(eq(users.id, preferences.userId)).limit(1).as('users')
  const rows = await db
    .select({ userId: preferences.userId })
    .from(preferences)
    .innerJoinLateral(user, sql`true`)
    .where(
      and(
        preferences.mailBeforeExpiry,
        gt(preferences.userId, after),
        hasFileManager(now),
        sql`exists (select 1 from ${files}
          where ${files.ownerId} = ${preferences.userId} and ${needsExpiryEmail(now, until)})`,
      ),
    )
    .orderBy(preferences.userId)
    .limit(limit)
  return rows.map(({ userId }) => userId)
}

/**
 * Claims up to `limit` of an owner's links that expire between `now` and `until` for an expiry
 * email. Returns their file ids. Parallel callers get different files. A renewed link can be
 * claimed again.
 */
export async function claimExpiringLinks(
  tx: Db,
  ownerId: string,
  { now, until }: { now: Date; until: Date },
  limit: number,
): Promise<string[]> {
  const dueFiles = tx
    .select({ id: files.id })
    .from(files)
    .where(and(eq(files.ownerId, ownerId), needsExpiryEmail(now, until)))
    .orderBy(files.id)
    .limit(limit)
    .for('update')
  const markedFiles = await tx
    .update(files)
    .set({ notifiedExpiresAt: sql`${files.expiresAt}` })
    .where(inArray(files.id, dueFiles))
    .returning({ id: files.id })
  return markedFiles.map(({ id }) => id)
}

export type FileEmailRecipient = Pick<
  typeof users.$inferSelect,
  'email' | 'emailVerified' | 'firstName'
> &
  Pick<Preferences, 'mailOnFirstDownload' | 'mailBeforeExpiry'>

/**
 * Finds the recipient of emails about files. Returns undefined if the tier doesn't include such
 * emails.
 */
export async function findFileEmailRecipient(
  db: Db,
  userId: string,
  now: Date,
): Promise<FileEmailRecipient | undefined> {
  const [recipient] = await db
    .select({
      email: users.email,
      emailVerified: users.emailVerified,
      firstName: users.firstName,
      mailOnFirstDownload: preferences.mailOnFirstDownload,
      mailBeforeExpiry: preferences.mailBeforeExpiry,
    })
    .from(users)
    .innerJoin(preferences, eq(preferences.userId, users.id))
    .where(and(eq(users.id, userId), hasFileManager(now)))
  return recipient
}

/** Finds a user's files by id, except deleted ones, ordered by expiry. */
export function findFilesOfEmail(
  db: Db,
  ownerId: string,
  ids: readonly string[],
): Promise<FileRow[]> {
  return db
    .select()
    .from(files)
    .where(
      and(
        eq(files.ownerId, ownerId),
        isNull(files.deletedAt),
        sql`${files.id} = any(${sql.param(ids)}::uuid[])`,
      ),
    )
    .orderBy(files.expiresAt, files.id)
}
