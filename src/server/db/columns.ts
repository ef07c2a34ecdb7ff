import { bigint, timestamp } from 'drizzle-orm/pg-core'

/** A timestamp column with time zone. */
export function timestamptz(name: string) {
  return timestamp(name, { withTimezone: true, mode: 'date' })
}

/** A column for a size in bytes. */
export function bytes(name: string) {
  return bigint(name, { mode: 'number' })
}
