import { dayInMs } from './units.ts'

/** The number of downloads on one UTC day. `day` is a date such as '2026-11-22'. */
export interface DayCount {
  day: string
  count: number
}

/** Returns the UTC day of a date, such as '2026-11-22'. */
export function utcDay(date: Date): string {
  return date.toISOString().slice(0, 10)
}

export function startOfDay(day: string): Date {
  return new Date(`${day}T00:00:00.000Z`)
}

/**
 * Returns all days from `firstDay` to `lastDay`, inclusive. If `lastDay` is earlier, returns only
 * `firstDay`.
 */
export function daysBetween(firstDay: string, lastDay: string): string[] {
  const startMs = startOfDay(firstDay).getTime()
  const count = Math.max(0, (startOfDay(lastDay).getTime() - startMs) / dayInMs) + 1
  return Array.from({ length: count }, (_, index) => utcDay(new Date(startMs + index * dayInMs)))
}

/** Returns the last `count` UTC days, including today. */
export function lastDays(now: Date, count: number): string[] {
  return daysBetween(utcDay(new Date(now.getTime() - (count - 1) * dayInMs)), utcDay(now))
}

/** Returns the count for each day, with 0 for days missing from `dayCounts`. */
export function withEmptyDays(days: readonly string[], dayCounts: readonly DayCount[]): DayCount[] {
  const countsByDay = new Map(dayCounts.map(({ day, count }) => [day, count]))
  return days.map((day) => ({ day, count: countsByDay.get(day) ?? 0 }))
}

/** Number of days shown in the download statistics, including today. */
export const analyticsDays = 30
