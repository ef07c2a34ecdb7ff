import { dayInMs } from './units.ts'

const weekdays = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'] as const

const months = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ')

/** Returns how many minutes a time zone is behind UTC on a date, like `getTimezoneOffset`. */
export type TimeZone = (date: Date) => number

function utc(): number {
  return 0
}

function browserTimeZone(date: Date): number {
  return date.getTimezoneOffset()
}

/**
 * Formats a date in UTC, for text that the server writes, such as 'Tue 24 Nov 2026, 14:02 UTC'.
 * @param now the current time. If given, the year is omitted when it is the current one. Don't pass
 * it for emails, because they may be read in another year.
 */
export function timestampText(date: Date, now?: Date): string {
  return `${formatDate(date, now, utc)}, ${formatTime(date, utc)} UTC`
}

/**
 * Formats a date in the browser's time zone, such as 'Tue 24 Nov, 14:02'. Adds the year if it isn't
 * the current one, as in 'Mon 24 Nov 2025, 14:02'.
 */
export function localTimestampText(
  date: Date,
  now: Date,
  zone: TimeZone = browserTimeZone,
): string {
  return `${formatDate(date, now, zone)}, ${formatTime(date, zone)}`
}

/** Like `localTimestampText`, but with seconds, such as 'Tue 24 Nov, 14:02:59'. */
export function exactTimestampText(
  date: Date,
  now: Date,
  zone: TimeZone = browserTimeZone,
): string {
  return `${formatDate(date, now, zone)}, ${formatTime(date, zone)}:${formatSeconds(date)}`
}

/**
 * Like `exactTimestampText`, but says 'today' or 'yesterday' where that applies, as in 'today,
 * 11:28:04'.
 */
export function pastTimestampText(date: Date, now: Date, zone: TimeZone = browserTimeZone): string {
  const daysAgo = dayNumber(now, zone) - dayNumber(date, zone)
  const relativeDay = ['today', 'yesterday'][daysAgo]
  if (relativeDay === undefined) return exactTimestampText(date, now, zone)
  return `${relativeDay}, ${formatTime(date, zone)}:${formatSeconds(date)}`
}

/**
 * Formats the day of a date in the browser's time zone, such as '24 Nov'. Adds the year if it isn't
 * the current one, as in '24 Nov 2025'.
 */
export function localDayText(date: Date, now: Date, zone: TimeZone = browserTimeZone): string {
  return formatDay(date, now, zone)
}

/**
 * Formats a UTC day, such as '16 Nov' or, if the year isn't the current one, '16 Nov 2025'.
 * @param day such as '2026-11-16'.
 * @param today the current UTC day, in the same format.
 */
export function dayText(day: string, today: string): string {
  return formatDay(new Date(day), new Date(today), utc)
}

/** Like `dayText`, but with the weekday, such as 'Mon 16 Nov'. */
export function weekdayText(day: string, today: string): string {
  return formatDate(new Date(day), new Date(today), utc)
}

/** Shifts a date so that its UTC fields show the local time in `zone`. */
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
  return `${padToTwoDigits(shiftedDate.getUTCHours())}:${padToTwoDigits(shiftedDate.getUTCMinutes())}`
}

function formatSeconds(date: Date): string {
  return padToTwoDigits(date.getUTCSeconds())
}

function padToTwoDigits(n: number): string {
  return String(n).padStart(2, '0')
}
