import { dayInMs } from './units.ts'

const weekdays = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'] as const

const months = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ')

/** Returns how many minutes a time zone is behind UTC at a date, like `getTimezoneOffset`. */
export type TimeZone = (date: Date) => number

function utc(): number {
  return 0
}

function browserTimeZone(date: Date): number {
  return date.getTimezoneOffset()
}

/**
 * Formats a date in UTC, for the server: 'Tue 24 Nov 2026, 14:02 UTC'.
 * @param now the current time, if the current year is to be omitted. Leave it out in emails,
 * because they may be read in another year.
 */
export function timestampText(date: Date, now?: Date): string {
  return `${formatDate(date, now, utc)}, ${formatTime(date, utc)} UTC`
}

/** Formats a date in the browser's time zone: 'Tue 24 Nov, 14:02', 'Mon 24 Nov 2025, 14:02'. */
export function localTimestampText(
  date: Date,
  now: Date,
  zone: TimeZone = browserTimeZone,
): string {
  return `${formatDate(date, now, zone)}, ${formatTime(date, zone)}`
}

/** Like `localTimestampText`, with seconds: 'Tue 24 Nov, 14:02:59'. */
export function exactTimestampText(
  date: Date,
  now: Date,
  zone: TimeZone = browserTimeZone,
): string {
  return `${formatDate(date, now, zone)}, ${formatTime(date, zone)}:${formatSeconds(date)}`
}

/** Like `exactTimestampText`, but says 'today, 11:28:04' and 'yesterday, 22:40:09'. */
export function pastTimestampText(date: Date, now: Date, zone: TimeZone = browserTimeZone): string {
  const daysAgo = dayNumber(now, zone) - dayNumber(date, zone)
  const relativeDay = ['today', 'yesterday'][daysAgo]
  if (relativeDay === undefined) return exactTimestampText(date, now, zone)
  return `${relativeDay}, ${formatTime(date, zone)}:${formatSeconds(date)}`
}

/** Formats the day of a date in the browser's time zone: '24 Nov', '24 Nov 2025'. */
export function localDayText(date: Date, now: Date, zone: TimeZone = browserTimeZone): string {
  return formatDay(date, now, zone)
}

/**
 * Formats a UTC day: '16 Nov', '16 Nov 2025'.
 * @param day such as '2026-11-16'.
 * @param today the current UTC day. The year is omitted if both days are in the same year.
 */
export function dayText(day: string, today: string): string {
  return formatDay(new Date(day), new Date(today), utc)
}

/** Like `dayText`, with the weekday: 'Mon 16 Nov'. */
export function weekdayText(day: string, today: string): string {
  return formatDate(new Date(day), new Date(today), utc)
}

/** Shifts a date so that its UTC fields show the local time in the zone. */
function shiftToZone(date: Date, zone: TimeZone): Date {
  return new Date(date.getTime() - zone(date) * 60_000)
}

function formatDate(date: Date, now: Date | undefined, zone: TimeZone): string {
  return `${weekdays[shiftToZone(date, zone).getUTCDay()]} ${formatDay(date, now, zone)}`
}

function formatDay(date: Date, now: Date | undefined, zone: TimeZone): string {
  const shiftedDate = shiftToZone(date, zone)
  const day = `${shiftedDate.getUTCDate()} ${months[shiftedDate.getUTCMonth()]}`
  const year = shiftedDate.getUTCFullYear()
  return now && shiftToZone(now, zone).getUTCFullYear() === year ? day : `${day} ${year}`
}

function dayNumber(date: Date, zone: TimeZone): number {
  return Math.floor(shiftToZone(date, zone).getTime() / dayInMs)
}

function formatTime(date: Date, zone: TimeZone): string {
  const shiftedDate = shiftToZone(date, zone)
  return `${twoDigits(shiftedDate.getUTCHours())}:${twoDigits(shiftedDate.getUTCMinutes())}`
}

function formatSeconds(date: Date): string {
  return twoDigits(date.getUTCSeconds())
}

function twoDigits(n: number): string {
  return String(n).padStart(2, '0')
}
