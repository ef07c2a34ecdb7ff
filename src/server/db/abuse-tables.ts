import { sql } from 'drizzle-orm'
import { index, integer, jsonb, pgTable, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core'
import { reportOutcomes } from '../../shared/rules/links/report.ts'
import { bytes, moment } from './columns.ts'

/** What one visitor wrote about a file. `at` is ISO 8601 text in UTC. */
export interface ReportStatement {
  at: string
  reason: string
  email: string | null
  /** True if a robot has probably sent the statement. */
  isSuspect: boolean
}

/**
 * The reports of files. A file has at most one open report, and every new statement is added to it.
 * The table copies the file's data and has no foreign keys. So a report stays when the file's row
 * is removed.
 */
export const reports = pgTable(
  'reports',
  {
    id: uuid().primaryKey().defaultRandom(),
    fileId: uuid('file_id').notNull(),
    ownerId: text('owner_id').notNull(),
    /** The short code under which visitors reported the file last. */
    shortCode: text('short_code').notNull(),
    originalName: text('original_name').notNull(),
    mimeType: text('mime_type').notNull(),
    size: bytes('size').notNull(),
    /** The SHA-256 of the file, if this server has computed it. Otherwise null. */
    provedSha256: text('proved_sha256'),
    count: integer().notNull(),
    /**
     * What visitors wrote, oldest first. If there are many, only the first ones and the last ones
     * are kept.
     */
    statements: jsonb().$type<ReportStatement[]>().notNull(),
    firstReportedAt: moment('first_reported_at').notNull(),
    lastReportedAt: moment('last_reported_at').notNull(),
    /** When the administrator closed the report. null while it is open. */
    closedAt: moment('closed_at'),
    outcome: text({ enum: reportOutcomes }),
  },
  (table) => [
    uniqueIndex('reports_open_file').on(table.fileId).where(sql`${table.closedAt} is null`),
    // The list of open reports reads this index backwards, so the newest come first.
    index('reports_open').on(table.lastReportedAt, table.id).where(sql`${table.closedAt} is null`),
    index('reports_short_code').on(table.shortCode),
    // A takedown asks for the last report of a file, also for a closed one.
    index('reports_file').on(table.fileId, table.lastReportedAt),
    // These find the closed reports of a user who is deleted, and those that were kept long enough.
    index('reports_closed_owner').on(table.ownerId).where(sql`${table.closedAt} is not null`),
    index('reports_closed').on(table.closedAt).where(sql`${table.closedAt} is not null`),
  ],
)

/** Content that the administrator took down. An upload with this SHA-256 does not become a file. */
export const blockedContent = pgTable(
  'blocked_content',
  {
    sha256: text().primaryKey(),
    /** The size in bytes. A file of another size has other content. */
    size: bytes('size').notNull(),
    /** Why the content was taken down. The owners of all copies read this reason. */
    reason: text().notNull(),
    blockedAt: moment('blocked_at').notNull(),
  },
  (table) => [index('blocked_content_size').on(table.size)],
)
