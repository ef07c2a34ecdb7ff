/** The tables about the whole installation: its settings and the counters of the rate limiter. */
import { bigint, integer, pgTable, text, timestamp } from 'drizzle-orm/pg-core'

/** The settings that the administrator can change. If a key has no row, its default applies. */
export const settings = pgTable('settings', {
  key: text().primaryKey(),
  value: text().notNull(),
  description: text().notNull().default(''),
  updatedAt: timestamp('updated_at', { withTimezone: true, mode: 'date' }).notNull(),
})

/** The counters of the rate limiter. `expire` is in milliseconds since 1970. */
export const rateLimits = pgTable('rate_limits', {
  key: text().primaryKey(),
  points: integer().notNull().default(0),
  expire: bigint({ mode: 'number' }),
})
