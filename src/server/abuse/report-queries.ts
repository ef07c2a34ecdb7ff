import {
  and,
  count,
  desc,
  eq,
  inArray,
  isNotNull,
  isNull,
  lt,
  min,
  notExists,
  type SQL,
  sql,
} from 'drizzle-orm'
import { dayInMs } from '../../shared/rules/format/units.ts'
import { linkName } from '../../shared/rules/links/link-status.ts'
import {
  closedReportDays,
  openReportDays,
  type ReportOutcome,
} from '../../shared/rules/links/report.ts'
import { files, links, type ReportStatement, reports, users } from '../db/schema.ts'
import { deleteInBatches } from '../db/sql.ts'
import type { Db } from '../deps.ts'

export type ReportRow = typeof reports.$inferSelect

/** A report keeps this many of its oldest statements and this many of its newest. */
const statementsKeptAtEachEnd = 50

/**
 * Finds the file that stands for the link with this short code in reports, even if the link is
 * inactive: the first one with stored bytes. Selects the columns that a report copies and those
 * that determine whether the link is active.
 */
export async function findReportableFile(db: Db, shortCode: string) {
  const [file] = await db
    .select({
      id: files.id,
      ownerId: files.ownerId,
      shortCode: links.shortCode,
      title: links.title,
      shared: links.shared,
      isLocked: sql<boolean>`${links.passwordHash} is not null`,
      fileCount: db.$count(files, eq(files.linkId, links.id)),
      originalName: files.originalName,
      mimeType: files.mimeType,
      size: files.size,
      sha256: files.sha256,
      isContentProved: files.isContentProved,
      expiresAt: links.expiresAt,
      maxLifetimeAt: links.maxLifetimeAt,
      purgingAt: files.purgingAt,
    })
    .from(files)
    .innerJoin(links, eq(links.id, files.linkId))
    .where(eq(links.shortCode, shortCode))
    .orderBy(sql`${files.purgingAt} is not null`, files.position)
    .limit(1)
  return file
}

export type ReportableFile = NonNullable<Awaited<ReturnType<typeof findReportableFile>>>

/**
 * Adds a visitor's statement to the file's open report, or opens a new report, in a single SQL
 * statement. To limit the report's size, drops statements from the middle.
 */
export async function addToReport(
  db: Db,
  file: ReportableFile,
  statement: ReportStatement,
  now: Date,
): Promise<void> {
  const { statements } = reports
  const isFull = sql`jsonb_array_length(${statements}) >= ${2 * statementsKeptAtEachEnd}`
  await db
    .insert(reports)
    .values({
      fileId: file.id,
      ownerId: file.ownerId,
      shortCode: file.shortCode,
      originalName: linkName({ ...file, title: null, firstFileName: file.originalName }),
      mimeType: file.mimeType,
      size: file.size,
      provedSha256: file.isContentProved ? file.sha256 : null,
      count: 1,
      statements: [statement],
      firstReportedAt: now,
      lastReportedAt: now,
    })
    .onConflictDoUpdate({
      target: reports.fileId,
      targetWhere: isNull(reports.closedAt),
      set: {
        shortCode: sql`excluded.short_code`,
        // If the file has no SHA-256 now, this keeps the one saved with an earlier statement.
        provedSha256: sql`coalesce(excluded.proved_sha256, ${reports.provedSha256})`,
        count: sql`${reports.count} + 1`,
        lastReportedAt: now,
        // `- n` removes the element at index n, the oldest statement that isn't among the first
        // ones to keep.
        statements: sql`case when ${isFull} then ${statements} - ${statementsKeptAtEachEnd}::int else ${statements} end || excluded.statements`,
      },
    })
}

export async function findOpenReport(db: Db, fileId: string): Promise<ReportRow | undefined> {
  const [report] = await db
    .select()
    .from(reports)
    .where(and(eq(reports.fileId, fileId), isNull(reports.closedAt)))
  return report
}

/**
 * Counts the open reports. `since` is when the oldest one was opened, or null if there are none.
 */
export async function countOpenReports(db: Db): Promise<{ count: number; since: Date | null }> {
  const [row] = await db
    .select({ count: count(), since: min(reports.firstReportedAt) })
    .from(reports)
    .where(isNull(reports.closedAt))
  return row ?? { count: 0, since: null }
}

/**
 * A position in the list of reports: the time of the report's newest statement, and the report's
 * id.
 */
export type ReportPosition = readonly [lastReportedAt: Date, id: string]

/**
 * Lists up to `limit` open reports after the position `after`, those with the newest statements
 * first. Each entry includes the file's row if it still exists, its link, the owner's email
 * address, and the number of other stored files with the same SHA-256, which a takedown would
 * include.
 */
export function listReports(
  db: Db,
  { limit, after }: { limit: number; after: ReportPosition | undefined },
) {
  const isAfter: SQL | undefined = after
    ? sql`(${reports.lastReportedAt}, ${reports.id}) < (${after[0].toISOString()}::timestamptz, ${after[1]}::uuid)`
    : undefined
  const copyCount = sql`(select count(*) from ${files} copy
    where copy.sha256 = coalesce(${files.sha256}, ${reports.provedSha256}) and copy.id <> ${reports.fileId}
      and copy.size > 0
      and copy.purging_at is null and copy.purged_at is null)`
  return db
    .select({
      report: reports,
      // The first column must not be nullable, because drizzle treats a null there as a missing
      // file.
      file: { id: files.id, sha256: files.sha256, purgingAt: files.purgingAt },
      link: {
        shortCode: links.shortCode,
        expiresAt: links.expiresAt,
        maxLifetimeAt: links.maxLifetimeAt,
      },
      owner: users.email,
      copies: copyCount.mapWith(Number),
    })
    .from(reports)
    .leftJoin(files, eq(files.id, reports.fileId))
    .leftJoin(links, eq(links.id, files.linkId))
    .leftJoin(users, eq(users.id, reports.ownerId))
    .where(and(isNull(reports.closedAt), isAfter))
    .orderBy(desc(reports.lastReportedAt), desc(reports.id))
    .limit(limit)
}

/**
 * Closes an open report and returns its row. If several calls run in parallel, only one of them
 * gets the row.
 */
export async function closeReport(
  tx: Db,
  id: string,
  outcome: ReportOutcome,
  now: Date,
): Promise<ReportRow | undefined> {
  const [closedReport] = await tx
    .update(reports)
    .set({ closedAt: now, outcome })
    .where(and(eq(reports.id, id), isNull(reports.closedAt)))
    .returning()
  return closedReport
}

/** Closes the open reports of these files. Returns how many were closed. */
export async function closeReportsOfFiles(
  tx: Db,
  fileIds: string[],
  outcome: ReportOutcome,
  now: Date,
): Promise<number> {
  const closedReports = await tx
    .update(reports)
    .set({ closedAt: now, outcome })
    .where(and(inArray(reports.fileId, fileIds), isNull(reports.closedAt)))
    .returning({ id: reports.id })
  return closedReports.length
}

/**
 * Deletes old reports, including the email addresses in them: closed reports after 30 days, and
 * open reports 180 days after their last statement. Keeps an open report while storage has the
 * file's bytes, because the administrator can still take the file down. Works in batches.
 * @returns the number of deleted reports.
 */
export async function deleteExpiredReports(db: Db, now: Date): Promise<number> {
  const daysAgo = (days: number) => new Date(now.getTime() - days * dayInMs)
  const isExpiredClosed = lt(reports.closedAt, daysAgo(closedReportDays))
  const storedFileQuery = db
    .select({ id: files.id })
    .from(files)
    .where(and(eq(files.id, reports.fileId), isNull(files.purgingAt), isNull(files.purgedAt)))
  const isAbandoned = and(
    isNull(reports.closedAt),
    lt(reports.lastReportedAt, daysAgo(openReportDays)),
    notExists(storedFileQuery),
  )
  const closedCount = await deleteInBatches(db, reports.id, isExpiredClosed)
  return closedCount + (await deleteInBatches(db, reports.id, isAbandoned))
}

/**
 * Deletes the closed reports on a user's files. Keeps open reports, because their content can still
 * be blocked after the user is deleted.
 */
export async function deleteClosedReports(tx: Db, ownerId: string): Promise<void> {
  await tx.delete(reports).where(and(eq(reports.ownerId, ownerId), isNotNull(reports.closedAt)))
}

/** Returns the most recent report on a file, even if the file's row has been removed. */
export async function findLastReport(db: Db, fileId: string): Promise<ReportRow | undefined> {
  const [report] = await db
    .select()
    .from(reports)
    .where(eq(reports.fileId, fileId))
    .orderBy(desc(reports.lastReportedAt))
    .limit(1)
  return report
}
