import { dayInMs, hourInMs } from './time-units.ts'

/**
 * When each email about a trial is sent: `beforeEndMs` before the trial's end. An email that is
 * late by `goodForMs` is not sent any more, because its text would be wrong or old news by then.
 * The text '3 days' is right for half a day, because days are rounded.
 */
const letterTimes = {
  'three-days': { beforeEndMs: 3 * dayInMs, goodForMs: 12 * hourInMs },
  'one-day': { beforeEndMs: dayInMs, goodForMs: 12 * hourInMs },
  ended: { beforeEndMs: 0, goodForMs: 7 * dayInMs },
} as const

export type TrialLetter = keyof typeof letterTimes

/** Every email about a trial, in the order in which they are sent. */
export const trialLetters = Object.keys(letterTimes) as readonly TrialLetter[]

/** Returns when an email about a trial that ends at `endsAt` is to be sent. */
export function trialLetterDue(letter: TrialLetter, endsAt: Date): Date {
  return new Date(endsAt.getTime() - letterTimes[letter].beforeEndMs)
}

/** True if it is too late at `now` to send an email about a trial that ends at `endsAt`. */
export function isTrialLetterStale(letter: TrialLetter, endsAt: Date, now: Date): boolean {
  const lateMs = now.getTime() - trialLetterDue(letter, endsAt).getTime()
  return lateMs >= letterTimes[letter].goodForMs
}
