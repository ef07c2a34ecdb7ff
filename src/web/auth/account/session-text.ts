import { localDayText } from '../../../shared/rules/format/moment-text.ts'
import { counted } from '../../../shared/rules/format/numbers.ts'
import { dayInMs, hourInMs, minuteInMs } from '../../../shared/rules/format/units.ts'

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
  return `on ${localDayText(lastSeen, now)}`
}

/**
 * True if the name of a browser, as the server gives it, says that it runs on a phone or a tablet.
 */
export function isHandheld(browser: string | null): boolean {
  return /\b(Android|iOS|Windows Phone)\b/.test(browser ?? '')
}
