import { counted } from '../../../shared/rules/counted.ts'
import { dayInMs, hourInMs, minuteInMs } from '../../../shared/rules/time-units.ts'

/**
 * Returns when a session was last used, as people say it: 'just now', '25 minutes ago', '2 hours
 * ago', 'on 11 Nov'. Less than ten minutes is 'just now', because the server records a use only
 * every ten minutes. A moment in the future, from a wrong clock, is 'just now' too.
 */
export function lastSeenText(lastSeen: Date, now: Date): string {
  const passed = now.getTime() - lastSeen.getTime()
  if (passed < 10 * minuteInMs) return 'just now'
  if (passed < hourInMs) return `${Math.floor(passed / minuteInMs)} minutes ago`
  if (passed < dayInMs) return `${counted(Math.floor(passed / hourInMs), 'hour')} ago`
  return `on ${dayText(lastSeen)}`
}

/**
 * Writes a day as '11 Nov', in the browser's time zone. It needs no year, because no session is
 * older than 90 days and a trial lasts 30 days.
 */
export function dayText(moment: Date): string {
  return moment.toLocaleDateString('en-GB', { day: 'numeric', month: 'short' })
}

/** Writes a day with its year, as '11 Nov 2026', in the browser's time zone. */
export function dateText(moment: Date): string {
  return moment.toLocaleDateString('en-GB', { day: 'numeric', month: 'short', year: 'numeric' })
}

/**
 * True if the name of a browser, as the server gives it, says that it runs on a phone or a tablet.
 */
export function isHandheld(browser: string | null): boolean {
  return /\b(Android|iOS|Windows Phone)\b/.test(browser ?? '')
}
