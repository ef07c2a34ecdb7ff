import { dayInMs } from './units.ts'

const weekdays = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'] as const

const months = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ')

/** Returns how many minutes a time zone is behind UTC, like `getTimezoneOffset`. */
export type Zone = (moment: Date) => number

function utc(): number {
  return 0
}

function browserZone(moment: Date): number {
  return moment.getTimezoneOffset()
}

/**
 * Formats a date in UTC, for the server: 'Tue 24 Nov 2026, 14:02 UTC'.
 * @param now omits the year if it is the current one. Not for emails, which may be read in another
 * year.
 */
export function timestampText(moment: Date, now?: Date): string {
  return `${dateOf(moment, now, utc)}, ${timeOf(moment, utc)} UTC`
}

/** Formats a date in the browser's time zone: 'Tue 24 Nov, 14:02', 'Mon 24 Nov 2025, 14:02'. */
export function localTimestampText(moment: Date, now: Date, zone: Zone = browserZone): string {
  return `${dateOf(moment, now, zone)}, ${timeOf(moment, zone)}`
}

/** Like `localTimestampText`, with seconds: 'Tue 24 Nov, 14:02:59'. */
export function exactTimestampText(moment: Date, now: Date, zone: Zone = browserZone): string {
  return `${dateOf(moment, now, zone)}, ${timeOf(moment, zone)}:${secondsOf(moment)}`
}

/** Like `exactTimestampText`, but says 'today, 11:28:04' and 'yesterday, 22:40:09'. */
export function pastTimestampText(moment: Date, now: Date, zone: Zone = browserZone): string {
  const daysAgo = dayNumber(now, zone) - dayNumber(moment, zone)
  const name = ['today', 'yesterday'][daysAgo]
  if (name === undefined) return exactTimestampText(moment, now, zone)
  return `${name}, ${timeOf(moment, zone)}:${secondsOf(moment)}`
}

/** Formats the day of a date in the browser's time zone: '24 Nov', '24 Nov 2025'. */
export function localDayText(moment: Date, now: Date, zone: Zone = browserZone): string {
  return dayAndYear(moment, now, zone)
}

/**
 * Formats a UTC day: '16 Nov', '16 Nov 2025'.
 * @param day such as '2026-11-16'.
 * @param today days in its year are shown without the year.
 */
export function dayText(day: string, today: string): string {
  return dayAndYear(new Date(day), new Date(today), utc)
}

/** Like `dayText`, with the weekday: 'Mon 16 Nov'. */
export function weekdayText(day: string, today: string): string {
  return dateOf(new Date(day), new Date(today), utc)
}

/** Returns a date whose UTC fields are the local time in the zone. */
function shown(moment: Date, zone: Zone): Date {
  return new Date(moment.getTime() - zone(moment) * 60_000)
}

function dateOf(moment: Date, now: Date | undefined, zone: Zone): string {
  return `${weekdays[shown(moment, zone).getUTCDay()]} ${dayAndYear(moment, now, zone)}`
}

function dayAndYear(moment: Date, now: Date | undefined, zone: Zone): string {
  const there = shown(moment, zone)
  const day = `${there.getUTCDate()} ${months[there.getUTCMonth()]}`
  const year = there.getUTCFullYear()
  return now && shown(now, zone).getUTCFullYear() === year ? day : `${day} ${year}`
}

function dayNumber(moment: Date, zone: Zone): number {
  return Math.floor(shown(moment, zone).getTime() / dayInMs)
}

function timeOf(moment: Date, zone: Zone): string {
  const there = shown(moment, zone)
  return `${twoDigits(there.getUTCHours())}:${twoDigits(there.getUTCMinutes())}`
}

function secondsOf(moment: Date): string {
  return twoDigits(moment.getUTCSeconds())
}

function twoDigits(n: number): string {
  return String(n).padStart(2, '0')
}
