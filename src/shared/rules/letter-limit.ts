/**
 * The letters that anybody can have sent to an address, and how many of each an address gets within
 * the window. More signups than resets may be asked for, because the letter that a stranger causes
 * does not help the owner of the address: a stranger must not use up the owner's.
 */
export const letterLimits = { 'reset-password': 3, signup: 6 } as const

export type LimitedLetter = keyof typeof letterLimits
export const limitedLetters = Object.keys(letterLimits) as [LimitedLetter, ...LimitedLetter[]]

export const letterWindowMs = 15 * 60 * 1000
