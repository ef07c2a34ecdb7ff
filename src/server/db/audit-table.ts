import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { bigint, index, jsonb, pgTable, text } from 'drizzle-orm/pg-core'
import { type AuditAction, auditActions } from '../../shared/rules/accounts/audit-action.ts'
import { timestamptz } from './columns.ts'
import { sqlLiteral } from './sql.ts'

/** Returns an SQL expression for the short code in an audit log entry's details, or null. */
export function shortCodeOf(details: SQLWrapper): SQL {
  return sql`(${details} ->> 'shortCode')`
}

/**
 * The action recorded when a user is deleted. Queries must inline it as a literal, or Postgres
 * can't use the partial index on deleted users' email addresses.
 */
export const deleteUserAction = sqlLiteral<AuditAction>('delete-user')

/**
 * Who did what, when, and from which IP address. Triggers prevent updates and deletes. `actor` and
 * `subject` are user ids without foreign keys, so rows outlive their users. The row about a user's
 * deletion keeps the email address. `actor` is null for the server's own actions.
 */
export const auditLog = pgTable(
  'audit_log',
  {
    id: bigint({ mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    at: timestamptz('at').notNull(),
    actor: text(),
    action: text({ enum: auditActions }).notNull(),
    subject: text(),
    ipAddress: text('ip_address'),
    details: jsonb().$type<Record<string, unknown>>().notNull(),
  },
  (table) => [
    index('audit_log_time').on(table.at, table.id),
    index('audit_log_actor').on(table.actor, table.at, table.id),
    index('audit_log_subject').on(table.subject, table.at, table.id),
    index('audit_log_address').on(table.ipAddress, table.at, table.id),
    index('audit_log_code').on(shortCodeOf(table.details), table.at, table.id),
    index('audit_log_action').on(table.action, table.at, table.id),
    // Finds deleted users by their email address.
    index('audit_log_deleted_address')
      .on(sql`(${table.details} ->> 'email')`, table.at)
      .where(sql`${table.action} = ${deleteUserAction}`),
  ],
)
