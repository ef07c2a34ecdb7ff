import { formatCount } from '../../../shared/rules/format/numbers.ts'
import { dayInMs, hourInMs, minuteInMs } from '../../../shared/rules/format/units.ts'

const units = [
  { name: 'day', ms: dayInMs },
  { name: 'hour', ms: hourInMs },
  { name: 'minute', ms: minuteInMs },
  { name: 'second', ms: 1000 },
] as const

/**
 * Formats a duration in the largest unit of which it contains at least two, such as '90 seconds' or
 * '47 hours'. Rounds down.
 */
export function spanText(ms: number): string {
  const unit = units.find((candidate) => ms >= 2 * candidate.ms) ?? units[3]
  const count = Math.max(1, Math.floor(ms / unit.ms))
  return formatCount(count, unit.name)
}
