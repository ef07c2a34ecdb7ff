import { dayInMs } from './lifetime.ts'

/** The letters about files that a user can ask for. */
export const fileLetters = ['first-download', 'link-ends'] as const
export type FileLetter = (typeof fileLetters)[number]

/** How long before the end of a link its letter is due. */
export const endsSoonMs = dayInMs
