import { bigint, timestamp } from 'drizzle-orm/pg-core'

/** A column with a moment. */
export function moment(name: string) {
  return timestamp(name, { withTimezone: true, mode: 'date' })
}

/** A column with a size in bytes. */
export function bytes(name: string) {
  return bigint(name, { mode: 'number' })
}
