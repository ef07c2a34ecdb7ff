import { and, count, desc, eq, isNull, sql } from 'drizzle-orm'
import type { FileCounts } from '../../shared/contract/files.ts'
import { files, links } from '../db/schema.ts'
import type { Db } from '../deps.ts'
import type { Owner } from '../http/session.ts'
import { isLinkOfFile, statusOf } from './queries.ts'

const { id, originalName, mimeType, size, createdAt, downloadCount, uploadDuration } = files
const { sha256, purgingAt, purgedAt, purgeDueAt, takenDownAt, takedownReason } = files
const { shortCode, expiresAt, maxLifetimeAt } = links

/** The columns of `fileSchema`. */
const shownLinkColumns = { shortCode, expiresAt, maxLifetimeAt }
const shownColumns = {
  ...{ id, originalName, mimeType, size, createdAt, downloadCount, uploadDuration },
  ...{ sha256, purgingAt, purgedAt, purgeDueAt, takenDownAt, takedownReason },
  ...shownLinkColumns,
}

/** A file's position in its owner's list. `createdAt` is as precise as in the database. */
export type FilePosition = readonly [createdAt: string, id: string]

/** Comes before the newest file. */
const listStart: FilePosition = ['infinity', '00000000-0000-0000-0000-000000000000']

/**
 * Returns a function that lists a page of a user's files, newest first, starting after a position.
 * The statement is prepared, because planning it takes longer than reading twenty files.
 */
export function prepareListFiles(db: Db) {
  // Without this limit, Postgres may sort all of the owner's files.
  const link = db.select(shownLinkColumns).from(links).where(isLinkOfFile).limit(1).as('links')
  const query = db
    .select(shownColumns)
    .from(files)
    .innerJoinLateral(link, sql`true`)
    .where(
      and(
        eq(files.ownerId, sql.placeholder('ownerId')),
        isNull(files.deletedAt),
        sql`(${files.createdAt}, ${files.id}) < (${sql.placeholder('createdAt')}::timestamptz, ${sql.placeholder('id')}::uuid)`,
      ),
    )
    .orderBy(desc(files.createdAt), desc(files.id))
    .limit(sql.placeholder('limit'))
    .prepare('list_files')
  return (
    ownerId: string,
    { limit, after = listStart }: { limit: number; after: FilePosition | undefined },
  ) => query.execute({ ownerId, limit, createdAt: after[0], id: after[1] })
}

/**
 * Counts a user's files by their link status at `now`, and the links of these files. A link with a
 * file whose bytes are gone can count twice.
 */
export async function countFiles(db: Db, { id, tier }: Owner, now: Date): Promise<FileCounts> {
  const filesByLink = db
    .select({ status: statusOf(tier, now).as('status'), files: count().as('files') })
    .from(files)
    .innerJoin(links, isLinkOfFile)
    .where(and(eq(files.ownerId, id), eq(links.ownerId, id), isNull(files.deletedAt)))
    .groupBy(links.id, sql`status`)
    .as('files_by_link')
  const statusCounts = await db
    .select({
      status: filesByLink.status,
      files: sql`sum(${filesByLink.files})`.mapWith(Number),
      links: count(),
    })
    .from(filesByLink)
    .groupBy(filesByLink.status)
  const countsOf = (key: 'files' | 'links') => ({
    active: 0,
    private: 0,
    deleted: 0,
    ...Object.fromEntries(statusCounts.map((row) => [row.status, row[key]])),
  })
  return { files: countsOf('files'), links: countsOf('links') }
}
