import { sql } from 'drizzle-orm'
import { index, pgTable, text, uuid } from 'drizzle-orm/pg-core'
import { ownerId } from './account-tables.ts'
import { timestamptz } from './columns.ts'

/**
 * Links that their owners send by email, one row per recipient. The row's id is also the id of the
 * email's job. Rows have no foreign key to the link: they count toward the owner's daily limit even
 * if the link is deleted.
 */
export const linkEmails = pgTable(
  'link_emails',
  {
    id: uuid().primaryKey(),
    ownerId: ownerId(),
    linkId: uuid('link_id').notNull(),
    /** The recipient's address, in lower case. */
    email: text().notNull(),
    message: text(),
    createdAt: timestamptz('created_at').notNull(),
    /** When the mail server rejected the email, or the queue gave up on it. */
    failedAt: timestamptz('failed_at'),
  },
  (table) => [
    index('link_emails_of_owner').on(table.ownerId, table.createdAt),
    // Finds the addresses that are shown beside a link.
    index('link_emails_failed').on(table.linkId).where(sql`${table.failedAt} is not null`),
  ],
)

/** Who wants no links by email. `address` is a keyed hash of the email address. */
export const emailOptOuts = pgTable('email_opt_outs', {
  address: text().primaryKey(),
  createdAt: timestamptz('created_at').notNull(),
})
