import { dayInMs, hourInMs } from './lifetime.ts'

/**
 * For each letter about a trial: how long before the end it is due, and how late it may still be
 * sent. A later letter is dropped, because it would be wrong or no news any more. '3 days' is right
 * for half a day, because days are rounded.
 */
const letterTimes = {
  'three-days': { beforeEndMs: 3 * dayInMs, goodForMs: 12 * hourInMs },
  'one-day': { beforeEndMs: dayInMs, goodForMs: 12 * hourInMs },
  ended: { beforeEndMs: 0, goodForMs: 7 * dayInMs },
} as const

export type TrialLetter = keyof typeof letterTimes

/** Every letter about a trial, in the order in which they are due. */
export const trialLetters = Object.keys(letterTimes) as readonly TrialLetter[]

/** Returns when a letter about a trial with this end is due. */
export function trialLetterDue(letter: TrialLetter, endsAt: Date): Date {
  return new Date(endsAt.getTime() - letterTimes[letter].beforeEndMs)
}

/** Whether it is too late at `now` to send a letter about a trial with this end. */
export function isTrialLetterStale(letter: TrialLetter, endsAt: Date, now: Date): boolean {
  const lateMs = now.getTime() - trialLetterDue(letter, endsAt).getTime()
  return lateMs >= letterTimes[letter].goodForMs
}
