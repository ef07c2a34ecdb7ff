import { sql } from 'drizzle-orm'
import { index, integer, jsonb, pgTable, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core'
import { reportOutcomes } from '../../shared/rules/links/report.ts'
import { bytes, timestamptz } from './columns.ts'

/** The text of a visitor's report. `at` is ISO 8601 in UTC. */
export interface ReportStatement {
  at: string
  reason: string
  email: string | null
  /** True if the statement was probably sent by a bot. */
  isSuspect: boolean
}

/**
 * Abuse reports. A file has at most one open report, which collects all new statements. The table
 * copies the file's data and has no foreign keys, so reports outlive the file's row.
 */
export const reports = pgTable(
  'reports',
  {
    id: uuid().primaryKey().defaultRandom(),
    fileId: uuid('file_id').notNull(),
    ownerId: text('owner_id').notNull(),
    /** The short code under which the file was last reported. */
    shortCode: text('short_code').notNull(),
    originalName: text('original_name').notNull(),
    mimeType: text('mime_type').notNull(),
    size: bytes('size').notNull(),
    /** The file's SHA-256 if the server has computed it, otherwise null. */
    provedSha256: text('proved_sha256'),
    count: integer().notNull(),
    /**
     * Visitors' statements, oldest first. If there are too many, only the first and the most recent
     * ones are kept.
     */
    statements: jsonb().$type<ReportStatement[]>().notNull(),
    firstReportedAt: timestamptz('first_reported_at').notNull(),
    lastReportedAt: timestamptz('last_reported_at').notNull(),
    /** When the administrator closed the report; null while it is open. */
    closedAt: timestamptz('closed_at'),
    outcome: text({ enum: reportOutcomes }),
  },
  (table) => [
    uniqueIndex('reports_open_file').on(table.fileId).where(sql`${table.closedAt} is null`),
    // The list of open reports scans this index backwards, newest first.
    index('reports_open').on(table.lastReportedAt, table.id).where(sql`${table.closedAt} is null`),
    index('reports_short_code').on(table.shortCode),
    // Finds a file's most recent report, open or closed, for a takedown.
    index('reports_file').on(table.fileId, table.lastReportedAt),
    // These indexes are for deleting closed reports by owner and by age.
    index('reports_closed_owner').on(table.ownerId).where(sql`${table.closedAt} is not null`),
    index('reports_closed').on(table.closedAt).where(sql`${table.closedAt} is not null`),
  ],
)

/** Content that the administrator took down. Uploads with this SHA-256 are rejected. */
export const blockedContent = pgTable(
  'blocked_content',
  {
    sha256: text().primaryKey(),
    /** Size in bytes, checked before the hash: a file of another size can't have this content. */
    size: bytes('size').notNull(),
    /** Reason for the takedown, shown to the owners of all copies. */
    reason: text().notNull(),
    blockedAt: timestamptz('blocked_at').notNull(),
  },
  (table) => [index('blocked_content_size').on(table.size)],
)
