/** The tables about the instance as a whole. They name no user and no file. */
import {
  bigint,
  integer,
  pgTable,
  primaryKey,
  smallint,
  text,
  timestamp,
} from 'drizzle-orm/pg-core'
import { storageNames } from '../storage/storage-name.ts'

/** The settings that the administrator can change. A missing key means the default. */
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
 * How many bytes the stores have of files: the sizes of all rows of `files` that are not purged.
 * Triggers on `files` keep the sums, so that nobody has to read millions of rows for them. Each
 * connection counts in a row of its own (`shard`), so that parallel statements rarely wait for one
 * another. One row alone may be below zero.
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
