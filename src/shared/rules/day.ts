import { dayInMs } from './lifetime.ts'

/** The downloads of one day. A day is one of UTC, as text: '2026-11-22'. */
export interface DayCount {
  day: string
  count: number
}

/** Returns the day of UTC that a moment belongs to. */
export function dayOf(moment: Date): string {
  return moment.toISOString().slice(0, 10)
}

/** Returns the moment at which a day begins. */
export function startOfDay(day: string): Date {
  return new Date(`${day}T00:00:00.000Z`)
}

/** Returns all days from `first` to `last`, both included; only `first` if `last` comes before it. */
export function daysBetween(first: string, last: string): string[] {
  const start = startOfDay(first).getTime()
  const count = Math.max(0, (startOfDay(last).getTime() - start) / dayInMs) + 1
  return Array.from({ length: count }, (_, index) => dayOf(new Date(start + index * dayInMs)))
}

/** Returns the last `count` days up to the one of `now`, which is the last of them. */
export function lastDays(now: Date, count: number): string[] {
  return daysBetween(dayOf(new Date(now.getTime() - (count - 1) * dayInMs)), dayOf(now))
}

/** Returns the count of each of these days, 0 for a day that was not counted. */
export function withEmptyDays(days: readonly string[], counted: readonly DayCount[]): DayCount[] {
  const counts = new Map(counted.map(({ day, count }) => [day, count]))
  return days.map((day) => ({ day, count: counts.get(day) ?? 0 }))
}
