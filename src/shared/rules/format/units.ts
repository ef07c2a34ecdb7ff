/* The units in which the code counts bytes. */

export const mebibyte = 1024 ** 2

export const gibibyte = 1024 * mebibyte

/* The units in which the rules count time, in milliseconds. */

export const minuteInMs = 60_000

export const hourInMs = 60 * minuteInMs

/** A day is exactly 24 hours, without regard to daylight saving time. */
export const dayInMs = 24 * hourInMs
