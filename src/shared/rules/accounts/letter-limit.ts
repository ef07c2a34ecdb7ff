import { minuteInMs } from '../format/units.ts'

/**
 * How many emails of each kind an address gets within `letterWindowMs`. Anybody can cause these
 * emails by typing the address. The limit of signup emails is higher: a signup email that a
 * stranger caused is useless to the owner of the address, so some must be left for the owner's own
 * signup.
 */
export const letterLimits = { 'reset-password': 3, signup: 6 } as const

export type LimitedLetter = keyof typeof letterLimits
export const limitedLetters = Object.keys(letterLimits) as [LimitedLetter, ...LimitedLetter[]]

export const letterWindowMs = 15 * minuteInMs
