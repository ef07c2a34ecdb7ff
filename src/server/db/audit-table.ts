import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { bigint, index, jsonb, pgTable, text } from 'drizzle-orm/pg-core'
import { type AuditAction, auditActions } from '../../shared/rules/accounts/audit-action.ts'
import { moment } from './columns.ts'
import { sqlLiteral } from './sql.ts'

/** Returns SQL for the short code of the link that a line is about; null if it is about none. */
export function shortCodeOf(details: SQLWrapper): SQL {
  return sql`(${details} ->> 'shortCode')`
}

/**
 * The action of lines about deleted users, as SQL. A query for them must compare with this literal,
 * so that Postgres uses the index on their addresses.
 */
export const deletionOfUser = sqlLiteral<AuditAction>('delete-user')

/**
 * Who did what, when, and from which IP address. Triggers keep anybody from removing or changing a
 * row. `actor` and `subject` are ids of users without foreign keys, so the row stays when these
 * users are deleted. The row about the deletion keeps the user's mail address. `actor` is null for
 * what the server did by itself.
 */
export const auditLog = pgTable(
  'audit_log',
  {
    id: bigint({ mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    at: moment('at').notNull(),
    actor: text(),
    action: text({ enum: auditActions }).notNull(),
    subject: text(),
    ipAddress: text('ip_address'),
    details: jsonb().$type<Record<string, unknown>>().notNull(),
  },
  (table) => [
    // These indexes find the lines of a time, what a user did, what was done to a user, what came
    // from an IP address, and what concerns a link: acts of any kind, or of one kind. Each has its
    // lines in the order of the list, so a page needs no sorting, whatever its dates.
    index('audit_log_time').on(table.at, table.id),
    index('audit_log_time_of_actor').on(table.actor, table.at, table.id),
    index('audit_log_time_of_subject').on(table.subject, table.at, table.id),
    index('audit_log_time_of_address').on(table.ipAddress, table.at, table.id),
    index('audit_log_time_of_code')
      .on(shortCodeOf(table.details), table.at, table.id)
      .where(sql`${shortCodeOf(table.details)} is not null`),
    index('audit_log_time_of_action').on(table.action, table.at, table.id),
    index('audit_log_time_of_action_actor').on(table.action, table.actor, table.at, table.id),
    index('audit_log_time_of_action_subject').on(table.action, table.subject, table.at, table.id),
    index('audit_log_time_of_action_address').on(table.action, table.ipAddress, table.at, table.id),
    index('audit_log_time_of_action_code')
      .on(table.action, shortCodeOf(table.details), table.at, table.id)
      .where(sql`${shortCodeOf(table.details)} is not null`),
    // Finds the line that a user has written last, even if the clock of its server was behind.
    index('audit_log_actor').on(table.actor, table.id),
    // The audit log uses this index to find deleted users by their mail address.
    index('audit_log_deleted_address')
      .on(sql`(${table.details} ->> 'email')`, table.at)
      .where(sql`${table.action} = ${deletionOfUser}`),
  ],
)
