import { minuteInMs } from './time-units.ts'

/**
 * How many mails of each kind an address gets within `letterWindowMs`. Anybody can cause these
 * mails by typing the address. Signup mails have a higher limit: the mails of a stranger do not
 * help the owner of the address, and must not use up the owner's own.
 */
export const letterLimits = { 'reset-password': 3, signup: 6 } as const

export type LimitedLetter = keyof typeof letterLimits
export const limitedLetters = Object.keys(letterLimits) as [LimitedLetter, ...LimitedLetter[]]

export const letterWindowMs = 15 * minuteInMs
