import { months, weekdays } from './calendar-names.ts'

function twoDigits(n: number) {
  return String(n).padStart(2, '0')
}

/**
 * Writes a moment. Example: 'Tue 24 Nov, 14:02'. The text has no year, because all dates of this
 * product are within a year.
 * @param minutesWest the time zone, as `getTimezoneOffset` returns it. Without it, the text is in
 * UTC and says so.
 */
export function momentText(moment: Date, minutesWest?: number): string {
  const there = new Date(moment.getTime() - (minutesWest ?? 0) * 60_000)
  const day = `${weekdays[there.getUTCDay()]} ${there.getUTCDate()} ${months[there.getUTCMonth()]}`
  const time = `${twoDigits(there.getUTCHours())}:${twoDigits(there.getUTCMinutes())}`
  return `${day}, ${time}${minutesWest === undefined ? ' UTC' : ''}`
}
