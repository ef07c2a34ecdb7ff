import { and, eq, gt, inArray, isNull, lte, type SQL, sql } from 'drizzle-orm'
import { defaultPreferences, type Preferences } from '../../shared/rules/accounts/preferences.ts'
import { tiers, tierTraits } from '../../shared/rules/tiers/tier.ts'
import { files, firstDownloads, preferences, users } from '../db/schema.ts'
import type { Db } from '../deps.ts'
import { tierAt } from '../tiers/queries.ts'
import type { FileRow } from './queries.ts'

const tiersWithManager = tiers.filter((tier) => tierTraits[tier].fileManager)

/**
 * Tells, as SQL, whether the owner's tier at `now` has the File Manager. Only such owners get
 * emails about first downloads and about links that end soon.
 */
function hasManager(now: Date): SQL {
  return inArray(tierAt(now), tiersWithManager)
}

function toPreferences(row: typeof preferences.$inferSelect): Preferences {
  return {
    defaultExpirationDays: row.defaultExpirationDays,
    mailOnFirstDownload: row.mailOnFirstDownload,
    mailBeforeExpiry: row.mailBeforeExpiry,
  }
}

/** Returns a user's settings in the File Manager. */
export async function readPreferences(db: Db, userId: string): Promise<Preferences> {
  const [row] = await db.select().from(preferences).where(eq(preferences.userId, userId))
  return row ? toPreferences(row) : defaultPreferences
}

/** Changes some of a user's settings in the File Manager, in one statement. Returns all of them. */
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
 * Returns the ids of at most `limit` owners with files that were downloaded for the first time. The
 * ids are sorted, and begin with the first one after `after`.
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

/**
 * Removes at most `limit` rows of an owner from `first_downloads`. Returns the ids of the files in
 * these rows.
 */
export async function takeFirstDownloads(
  tx: Db,
  ownerId: string,
  limit: number,
): Promise<string[]> {
  const due = tx
    .select({ fileId: firstDownloads.fileId })
    .from(firstDownloads)
    .where(eq(firstDownloads.ownerId, ownerId))
    .orderBy(firstDownloads.fileId)
    .limit(limit)
    .for('update')
  const taken = await tx
    .delete(firstDownloads)
    .where(inArray(firstDownloads.fileId, due))
    .returning({ fileId: firstDownloads.fileId })
  return taken.map(({ fileId }) => fileId)
}

/**
 * Selects the files whose links end between `now` and `until`, and whose owners have got no email
 * about this end yet.
 */
function endsUntold(now: Date, until: Date) {
  return and(
    gt(files.expiresAt, now),
    lte(files.expiresAt, until),
    isNull(files.purgingAt),
    isNull(files.deletedAt),
    sql`${files.toldExpiresAt} is distinct from ${files.expiresAt}`,
  )
}

/**
 * Returns the ids of at most `limit` owners who want an email about links that end between `now`
 * and `until`, and have not got it. The ids are sorted, and begin with the first one after `after`.
 */
export async function findOwnersOfEndingLinks(
  db: Db,
  { now, until }: { now: Date; until: Date },
  after: string,
  limit: number,
): Promise<string[]> {
  // The limit makes Postgres look up the user of each of these preferences. Without it, Postgres
  // may read all users.
  const user = db.select().from(users).where(eq(users.id, preferences.userId)).limit(1).as('users')
  const rows = await db
    .select({ userId: preferences.userId })
    .from(preferences)
    .innerJoinLateral(user, sql`true`)
    .where(
      and(
        preferences.mailBeforeExpiry,
        gt(preferences.userId, after),
        hasManager(now),
        sql`exists (select 1 from ${files}
          where ${files.ownerId} = ${preferences.userId} and ${endsUntold(now, until)})`,
      ),
    )
    .orderBy(preferences.userId)
    .limit(limit)
  return rows.map(({ userId }) => userId)
}

/**
 * Finds at most `limit` files of an owner whose links end between `now` and `until`. Records in
 * their rows that an email announces this end, and returns their ids. If several callers do this at
 * the same time, only one of them gets each file. After a renewal, another email can announce the
 * new end.
 */
export async function takeEndingLinks(
  tx: Db,
  ownerId: string,
  { now, until }: { now: Date; until: Date },
  limit: number,
): Promise<string[]> {
  const due = tx
    .select({ id: files.id })
    .from(files)
    .where(and(eq(files.ownerId, ownerId), endsUntold(now, until)))
    .orderBy(files.id)
    .limit(limit)
    .for('update')
  const taken = await tx
    .update(files)
    .set({ toldExpiresAt: sql`${files.expiresAt}` })
    .where(inArray(files.id, due))
    .returning({ id: files.id })
  return taken.map(({ id }) => id)
}

/** A user who gets an email about files, and what the email depends on. */
export type FileEmailReader = Pick<
  typeof users.$inferSelect,
  'email' | 'emailVerified' | 'firstName'
> &
  Pick<Preferences, 'mailOnFirstDownload' | 'mailBeforeExpiry'>

/**
 * Finds a user who can get emails about files at `now`, and which of these emails the user wants.
 */
export async function findFileEmailReader(
  db: Db,
  userId: string,
  now: Date,
): Promise<FileEmailReader | undefined> {
  const [reader] = await db
    .select({
      email: users.email,
      emailVerified: users.emailVerified,
      firstName: users.firstName,
      mailOnFirstDownload: preferences.mailOnFirstDownload,
      mailBeforeExpiry: preferences.mailBeforeExpiry,
    })
    .from(users)
    .innerJoin(preferences, eq(preferences.userId, users.id))
    .where(and(eq(users.id, userId), hasManager(now)))
  return reader
}

/**
 * Finds a user's files that have these ids and are not deleted, in the order in which their links
 * end.
 */
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
