import { sql } from 'drizzle-orm'
import { index, integer, jsonb, pgTable, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core'
import { reportOutcomes } from '../../shared/rules/report.ts'
import { bytes, moment } from './columns.ts'

/** What one person wrote about a file. `at` is ISO 8601 text in UTC. */
export interface ReportStatement {
  at: string
  reason: string
  email: string | null
  /** True if a robot seems to have sent it. */
  isSuspect: boolean
}

/**
 * The reports of files. While a report is open, whoever reports the same file adds to it. It has no
 * foreign keys, and knows what the file was called, so that it stays when the file's row is removed.
 */
export const reports = pgTable(
  'reports',
  {
    id: uuid().primaryKey().defaultRandom(),
    fileId: uuid('file_id').notNull(),
    ownerId: text('owner_id').notNull(),
    /** The link under which the file was reported last. */
    shortCode: text('short_code').notNull(),
    originalName: text('original_name').notNull(),
    mimeType: text('mime_type').notNull(),
    size: bytes('size').notNull(),
    /** The SHA-256 of the file, if this server itself had computed it; otherwise null. */
    provedSha256: text('proved_sha256'),
    count: integer().notNull(),
    /** What was written, oldest first: of many only the first ones and the last ones. */
    statements: jsonb().$type<ReportStatement[]>().notNull(),
    firstReportedAt: moment('first_reported_at').notNull(),
    lastReportedAt: moment('last_reported_at').notNull(),
    /** When and how the administrator dealt with the report; null while it is open. */
    closedAt: moment('closed_at'),
    outcome: text({ enum: reportOutcomes }),
  },
  (table) => [
    uniqueIndex('reports_open_file').on(table.fileId).where(sql`${table.closedAt} is null`),
    // The list of open reports is read from this index, from its end to its start.
    index('reports_open').on(table.lastReportedAt, table.id).where(sql`${table.closedAt} is null`),
    index('reports_short_code').on(table.shortCode),
  ],
)

/** Content that was taken down. No upload with this SHA-256 becomes a file. */
export const blockedContent = pgTable(
  'blocked_content',
  {
    sha256: text().primaryKey(),
    /** In bytes. Only content of this size can be the same. */
    size: bytes('size').notNull(),
    /** Why it was taken down. The owners of its copies are told this. */
    reason: text().notNull(),
    blockedAt: moment('blocked_at').notNull(),
  },
  (table) => [index('blocked_content_size').on(table.size)],
)
