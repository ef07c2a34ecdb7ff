import { bigint, timestamp } from 'drizzle-orm/pg-core'

/** A column of a point in time. */
export function moment(name: string) {
  return timestamp(name, { withTimezone: true, mode: 'date' })
}

/** A column of a size in bytes. */
export function bytes(name: string) {
  return bigint(name, { mode: 'number' })
}
