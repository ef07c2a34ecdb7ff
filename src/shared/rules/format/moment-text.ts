import { dayInMs } from './units.ts'

/** The weekdays as short English names. Sunday is the first, as in `Date`. */
const weekdays = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'] as const

/** The months as short English names. */
const months = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ')

/** How many minutes a time zone is behind UTC at a moment, as `getTimezoneOffset` returns it. */
export type Zone = (moment: Date) => number

function utc(): number {
  return 0
}

/** The time zone of the browser. */
function browserZone(moment: Date): number {
  return moment.getTimezoneOffset()
}

/**
 * Writes a moment in UTC, as the server does: 'Tue 24 Nov 2026, 14:02 UTC'.
 * @param now if it is given, a moment in the same year is written without the year. Emails do not
 * give it, because people may read an email in another year.
 */
export function momentText(moment: Date, now?: Date): string {
  return `${dateOf(moment, now, utc)}, ${timeOf(moment, utc)} UTC`
}

/** Writes a moment in the browser's time zone: 'Tue 24 Nov, 14:02', 'Mon 24 Nov 2025, 14:02'. */
export function localMomentText(moment: Date, now: Date, zone: Zone = browserZone): string {
  return `${dateOf(moment, now, zone)}, ${timeOf(moment, zone)}`
}

/** Writes a moment as `localMomentText` does, with its seconds: 'Tue 24 Nov, 14:02:59'. */
export function exactMomentText(moment: Date, now: Date, zone: Zone = browserZone): string {
  return `${dateOf(moment, now, zone)}, ${timeOf(moment, zone)}:${secondsOf(moment)}`
}

/**
 * Writes a moment as `exactMomentText` does, but names the last two days as people do: 'today,
 * 11:28:04', 'yesterday, 22:40:09'.
 */
export function pastMomentText(moment: Date, now: Date, zone: Zone = browserZone): string {
  const daysAgo = dayNumber(now, zone) - dayNumber(moment, zone)
  const name = ['today', 'yesterday'][daysAgo]
  if (name === undefined) return exactMomentText(moment, now, zone)
  return `${name}, ${timeOf(moment, zone)}:${secondsOf(moment)}`
}

/** Writes the day of a moment in the browser's time zone: '24 Nov', '24 Nov 2025'. */
export function localDayText(moment: Date, now: Date, zone: Zone = browserZone): string {
  return dayAndYear(moment, now, zone)
}

/**
 * Writes a day of UTC: '16 Nov', '16 Nov 2025'.
 * @param day such as '2026-11-16'.
 * @param today the day whose year is left out.
 */
export function dayText(day: string, today: string): string {
  return dayAndYear(new Date(day), new Date(today), utc)
}

/** Writes a day as `dayText` does, with its weekday: 'Mon 16 Nov'. */
export function weekdayText(day: string, today: string): string {
  return dateOf(new Date(day), new Date(today), utc)
}

/** Returns a moment whose fields in UTC are what a clock in the zone shows. */
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
