export const mebibyte = 1024 ** 2

export const gibibyte = 1024 ** 3

export const minuteInMs = 60_000

export const hourInMs = 60 * minuteInMs

/** Exactly 24 hours, regardless of daylight saving time. */
export const dayInMs = 24 * hourInMs
