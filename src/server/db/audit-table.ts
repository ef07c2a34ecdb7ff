import { sql } from 'drizzle-orm'
import { bigint, index, jsonb, pgTable, text } from 'drizzle-orm/pg-core'
import { auditActions } from '../../shared/rules/audit-action.ts'
import { moment } from './columns.ts'

/**
 * Who did what, when, and from which IP address. Triggers keep anybody from removing or changing a
 * row. `actor` and `subject` are ids of users without foreign
 * keys, so the row stays when these users are deleted. The row about the deletion keeps the user's
 * mail address. `actor` is null for what the server did by itself.
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
    // These indexes find what a user did, what was done to a user, and acts of one kind, of anybody
    // or of a user. Each has its lines in the order of the list, so a page needs no sorting.
    index('audit_log_actor').on(table.actor, table.id),
    index('audit_log_subject').on(table.subject, table.id),
    index('audit_log_action').on(table.action, table.id),
    index('audit_log_action_actor').on(table.action, table.actor, table.id),
    index('audit_log_action_subject').on(table.action, table.subject, table.id),
    // The audit log uses this index to find deleted users by their mail address.
    index('audit_log_deleted_address')
      .on(sql`(${table.details} ->> 'email')`)
      .where(sql`${table.action} = 'delete-user'`),
  ],
)
