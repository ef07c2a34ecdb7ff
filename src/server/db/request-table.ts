import { sql } from 'drizzle-orm'
import { index, integer, pgTable, text, uuid } from 'drizzle-orm/pg-core'
import { users } from './account-tables.ts'
import { bytes, timestamptz } from './columns.ts'

/** A request: a page by which people without an account send files to its owner. */
export const requests = pgTable(
  'requests',
  {
    id: uuid().primaryKey().defaultRandom(),
    ownerId: text('owner_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    code: text().notNull().unique(),
    title: text().notNull(),
    message: text(),
    /** Null if the request has no password. */
    passwordHash: text('password_hash'),
    /** How many deliveries the request takes; null for no limit. */
    maxLinks: integer('max_links'),
    /** The size of the largest file, beside the limit of the owner's tier. */
    maxFileSize: bytes('max_file_size'),
    createdAt: timestamptz('created_at').notNull(),
    closesAt: timestamptz('closes_at').notNull(),
    /** When the owner or the administrator closed it. */
    closedAt: timestamptz('closed_at'),
    /**
     * The `closesAt` announced in the reminder to the owner. A change of `closesAt` allows another
     * reminder.
     */
    notifiedClosesAt: timestamptz('notified_closes_at'),
    /** When the first delivery came that the owner hasn't been emailed about. */
    deliveredAt: timestamptz('delivered_at'),
  },
  (table) => [
    // Lists scan these indexes backwards, newest first.
    index('requests_of_owner').on(table.ownerId, table.createdAt, table.id),
    index('requests_by_date').on(table.createdAt, table.id),
    // Finds requests that close soon.
    index('requests_by_end').on(table.closesAt).where(sql`${table.closedAt} is null`),
  ],
)
