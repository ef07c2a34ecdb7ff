import { maxFileNameBytes } from './file-name.ts'

/** The most files that one answer lists. Longer lists are split into pages. */
export const longestFilePage = 1000

/** The greatest length of a search text, in characters. No file name is longer. */
export const longestFileSearch = maxFileNameBytes

/** Spec §7: the most files that one call deletes by their ids. */
export const mostDeletedAtOnce = 1000
