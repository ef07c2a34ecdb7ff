import { dayInMs } from './time-units.ts'

/** The emails about files that a user can ask for. */
export const fileLetters = ['first-download', 'link-ends'] as const
export type FileLetter = (typeof fileLetters)[number]

/** How long before the end of a link the email about it is sent. */
export const endsSoonMs = dayInMs
