import { and, eq, gt, inArray, isNull, lte, type SQL, sql } from 'drizzle-orm'
import { defaultPreferences, type Preferences } from '../../shared/rules/accounts/preferences.ts'
import { type Tier, tiers, tierTraits } from '../../shared/rules/tiers/tier.ts'
import { selectedDays } from '../../shared/rules/tiers/tier-limits.ts'
import { files, firstDownloads, links, preferences, users } from '../db/schema.ts'
import { isOneOf } from '../db/sql.ts'
import type { Db, Deps } from '../deps.ts'
import type { LinkRow } from '../links/queries.ts'
import { tierAt } from '../tiers/queries.ts'

const tiersWithFileManager = tiers.filter((tier) => tierTraits[tier].fileManager)

/** SQL: true if the owner's tier has the File Manager, which includes the emails about files. */
function hasFileManager(now: Date): SQL {
  return inArray(tierAt(now), tiersWithFileManager)
}

/** Returns a user's preferences, or the defaults if none are stored. */
export async function readPreferences(db: Db, userId: string): Promise<Preferences> {
  const [row] = await db.select().from(preferences).where(eq(preferences.userId, userId))
  return row ?? defaultPreferences
}

/** Returns how many days a new link works unless its owner says otherwise. */
export async function readPreferredDays(
  { db, settings }: Pick<Deps, 'db' | 'settings'>,
  { id, tier }: { id: string; tier: Tier },
): Promise<number> {
  const { defaultExpirationDays } = await readPreferences(db, id)
  return selectedDays((await settings.limits())[tier], defaultExpirationDays)
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
  return row
}

/**
 * Finds owners with links in `first_downloads`. Returns up to `limit` ids in ascending order,
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

/** Removes up to `limit` of an owner's rows from `first_downloads`. Returns their link ids. */
export async function takeFirstDownloads(
  tx: Db,
  ownerId: string,
  limit: number,
): Promise<string[]> {
  const dueLinks = tx
    .select({ linkId: firstDownloads.linkId })
    .from(firstDownloads)
    .where(eq(firstDownloads.ownerId, ownerId))
    .orderBy(firstDownloads.linkId)
    .limit(limit)
    .for('update')
  const deletedRows = await tx
    .delete(firstDownloads)
    .where(inArray(firstDownloads.linkId, dueLinks))
    .returning({ linkId: firstDownloads.linkId })
  return deletedRows.map(({ linkId }) => linkId)
}

/**
 * Matches links that expire between `now` and `until` and whose expiry email hasn't been queued.
 */
function needsExpiryEmail(now: Date, until: Date) {
  return and(
    gt(links.expiresAt, now),
    lte(links.expiresAt, until),
    sql`${links.notifiedExpiresAt} is distinct from ${links.expiresAt}`,
    sql`exists (select 1 from ${files}
      where ${files.linkId} = ${links.id} and ${isNull(files.purgingAt)})`,
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
        sql`exists (select 1 from ${links}
          where ${links.ownerId} = ${preferences.userId} and ${needsExpiryEmail(now, until)})`,
      ),
    )
    .orderBy(preferences.userId)
    .limit(limit)
  return rows.map(({ userId }) => userId)
}

/**
 * Claims up to `limit` of an owner's links that expire between `now` and `until` for an expiry
 * email. Returns their ids. Parallel callers get different links. A renewed link can be claimed
 * again.
 */
export async function claimExpiringLinks(
  tx: Db,
  ownerId: string,
  { now, until }: { now: Date; until: Date },
  limit: number,
): Promise<string[]> {
  const dueLinks = tx
    .select({ id: links.id })
    .from(links)
    .where(and(eq(links.ownerId, ownerId), needsExpiryEmail(now, until)))
    .orderBy(links.id)
    .limit(limit)
    .for('update')
  const markedLinks = await tx
    .update(links)
    .set({ notifiedExpiresAt: sql`${links.expiresAt}` })
    .where(inArray(links.id, dueLinks))
    .returning({ id: links.id })
  return markedLinks.map(({ id }) => id)
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

/** A link with what names it (`linkName`). `purgingAt` is as in `lockLinkAndFiles`. */
export type LinkOfEmail = Pick<LinkRow, 'id' | 'title' | 'expiresAt' | 'fileCount'> & {
  firstFileName: string
  purgingAt: Date | null
}

/** Finds a user's links by id, except removed ones, ordered by expiry. */
export function findLinksOfEmail(
  db: Db,
  ownerId: string,
  ids: readonly string[],
): Promise<LinkOfEmail[]> {
  const { id, title, expiresAt, fileCount, firstName } = links
  const purgingAt = db
    .select({ at: sql`max(${files.purgingAt})` })
    .from(files)
    .where(eq(files.linkId, id))
    .having(sql`bool_and(${files.purgingAt} is not null)`)
  return db
    .select({
      ...{ id, title, expiresAt, fileCount, firstFileName: firstName },
      purgingAt: sql`(${purgingAt})`.mapWith(files.purgingAt),
    })
    .from(links)
    .where(and(eq(links.ownerId, ownerId), isOneOf(id, ids)))
    .orderBy(expiresAt, id)
}
