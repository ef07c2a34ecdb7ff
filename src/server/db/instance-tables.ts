/**
 * The tables about the whole installation: its settings, the counters of the rate limiter, and how
 * many bytes each store holds.
 */
import {
  bigint,
  integer,
  pgTable,
  primaryKey,
  smallint,
  text,
  timestamp,
} from 'drizzle-orm/pg-core'
import { storageNames } from '../../shared/rules/files/storage-name.ts'

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

/**
 * How many bytes of files each store holds: the sum of `size` over all rows of `files` that are not
 * purged. Triggers on `files` update these sums, so nobody has to read millions of rows. A restore,
 * which may change the store of all files, computes them anew (`setStore`). Each store has several
 * rows, its shards, and each connection updates one of them. So parallel statements rarely wait for
 * one another. Only the sum of all shards is meaningful: one shard may be negative.
 */
export const storedBytes = pgTable(
  'stored_bytes',
  {
    storage: text({ enum: storageNames }).notNull(),
    shard: smallint().notNull(),
    bytes: bigint({ mode: 'number' }).notNull(),
  },
  (table) => [primaryKey({ columns: [table.storage, table.shard] })],
)
