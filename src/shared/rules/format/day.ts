import { dayInMs } from './units.ts'

/** The number of downloads on one day. The day is in UTC, as text: '2026-11-22'. */
export interface DayCount {
  day: string
  count: number
}

/** Returns the day, in UTC, that contains a moment. */
export function dayOf(moment: Date): string {
  return moment.toISOString().slice(0, 10)
}

/** Returns the moment at which a day begins. */
export function startOfDay(day: string): Date {
  return new Date(`${day}T00:00:00.000Z`)
}

/**
 * Returns all days from `first` to `last`, both included. Returns only `first` if `last` is
 * earlier.
 */
export function daysBetween(first: string, last: string): string[] {
  const start = startOfDay(first).getTime()
  const count = Math.max(0, (startOfDay(last).getTime() - start) / dayInMs) + 1
  return Array.from({ length: count }, (_, index) => dayOf(new Date(start + index * dayInMs)))
}

/** Returns the last `count` days. The last one is the day of `now`. */
export function lastDays(now: Date, count: number): string[] {
  return daysBetween(dayOf(new Date(now.getTime() - (count - 1) * dayInMs)), dayOf(now))
}

/** Returns the count of each of these days, 0 for a day that is not in `counted`. */
export function withEmptyDays(days: readonly string[], counted: readonly DayCount[]): DayCount[] {
  const counts = new Map(counted.map(({ day, count }) => [day, count]))
  return days.map((day) => ({ day, count: counts.get(day) ?? 0 }))
}

/** For how many days the analytics count downloads. The last of these days is today. */
export const analyticsDays = 30
