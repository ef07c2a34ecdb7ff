import { months, weekdays } from './calendar-names.ts'
import { startOfDay } from './day.ts'

/** Writes a day as '16 Nov'. It names no year, because people see days of the last weeks only. */
export function dayText(day: string): string {
  const start = startOfDay(day)
  return `${start.getUTCDate()} ${months[start.getUTCMonth()]}`
}

/** Writes a day with its weekday: 'Mon 16 Nov'. */
export function weekdayText(day: string): string {
  return `${weekdays[startOfDay(day).getUTCDay()]} ${dayText(day)}`
}
