import { minuteInMs } from './time-units.ts'

/**
 * How many mails of each kind an address gets within `letterWindowMs`. Anybody can cause these
 * mails by typing the address. The limit of signup mails is higher: a signup mail that a stranger
 * caused is useless to the owner of the address, so some must be left for the owner's own signup.
 */
export const letterLimits = { 'reset-password': 3, signup: 6 } as const

export type LimitedLetter = keyof typeof letterLimits
export const limitedLetters = Object.keys(letterLimits) as [LimitedLetter, ...LimitedLetter[]]

export const letterWindowMs = 15 * minuteInMs
