import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { minuteInMs } from '../../shared/rules/format/units.ts'

/**
 * After a try to remove bytes has begun, nobody tries the same bytes again for this long. Then a
 * removal that failed or was interrupted is tried again. The time doubles with each try, up to
 * `longestWaitMs`. So after a store can be reached again, its bytes are removed well within
 * `overdueMs`.
 */
const firstWaitMs = 2 * minuteInMs
export const longestWaitMs = 10 * minuteInMs
/** The Admin Center reports bytes that are still stored this long after they should be removed. */
export const overdueMs = 15 * minuteInMs

/** Returns, as SQL, when the next try may begin. `tries` counts the tries before this one. */
export function nextTryAt(tries: SQLWrapper | number, now: Date): SQL {
  const waitMs = sql`least(${firstWaitMs} * power(2, least(${tries}, 9)), ${longestWaitMs})`
  return sql`${now}::timestamptz + ${waitMs} * interval '1 millisecond'`
}
