import { counted } from './numbers.ts'
import { dayInMs, hourInMs, minuteInMs } from './units.ts'

/**
 * Writes a duration in words. From two days on, it counts in days. Examples: '10 minutes', '1
 * hour', '24 hours', '14 days'.
 * @param ms must be a whole number of minutes, hours or days, whichever the text counts.
 */
export function durationText(ms: number): string {
  if (ms >= 2 * dayInMs) return counted(ms / dayInMs, 'day')
  if (ms >= hourInMs) return counted(ms / hourInMs, 'hour')
  return counted(ms / minuteInMs, 'minute')
}
