import { bigint, timestamp } from 'drizzle-orm/pg-core'

/** Makes a column that stores a point in time. */
export function moment(name: string) {
  return timestamp(name, { withTimezone: true, mode: 'date' })
}

/** Makes a column that stores a size in bytes. */
export function bytes(name: string) {
  return bigint(name, { mode: 'number' })
}
