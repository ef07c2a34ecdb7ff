import { counted } from '../format/numbers.ts'
import { dayInMs, hourInMs } from '../format/units.ts'

/**
 * Returns how much time is left, in the words of spec §4: '3 days left', '9 hours left' or 'Less
 * than 1 hour left'. Days are rounded to the nearest, so that a file uploaded for 3 days says '3
 * days left'. Below 24 hours, hours are rounded down, so that the text never promises too much.
 */
export function timeLeftText(leftMs: number): string {
  if (leftMs >= dayInMs) return `${counted(Math.round(leftMs / dayInMs), 'day')} left`
  if (leftMs >= hourInMs) return `${counted(Math.floor(leftMs / hourInMs), 'hour')} left`
  return 'Less than 1 hour left'
}

/**
 * Returns the shortest time above 0, in milliseconds, for which `timeLeftText` returns the same
 * text as for `leftMs`.
 */
export function leastLeftOfText(leftMs: number): number {
  if (leftMs >= dayInMs) return Math.max(dayInMs, (Math.round(leftMs / dayInMs) - 0.5) * dayInMs)
  if (leftMs >= hourInMs) return Math.floor(leftMs / hourInMs) * hourInMs
  return 1
}

/**
 * How urgent the remaining time is. It decides the colour. `calm`: 24 hours or more. `amber`: less.
 * `red`: less than 1 hour. `over`: no time left.
 */
export type TimeTone = 'calm' | 'amber' | 'red' | 'over'

/** Returns how urgent this much time is, in milliseconds. The bounds are those of `TimeTone`. */
export function timeTone(leftMs: number): TimeTone {
  if (leftMs <= 0) return 'over'
  if (leftMs < hourInMs) return 'red'
  return leftMs < dayInMs ? 'amber' : 'calm'
}

/** Spec §2, analytics: true if a link with this much time left ends within 24 hours. */
export function isEndingSoon(leftMs: number): boolean {
  const tone = timeTone(leftMs)
  return tone === 'amber' || tone === 'red'
}
