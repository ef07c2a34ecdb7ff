import { z } from 'zod'

/** Dates travel as ISO 8601 text in UTC. */
export const isoDate = z.iso.datetime()

/** A short code as it stands in a link. Any other text is simply no code: see `rules/short-code.ts`. */
export const shortCode = z.string()

/**
 * Whether a text comes back from the database, or from any other UTF-8, as it went: Postgres takes
 * no NUL, and half of a surrogate pair would become the same replacement character as all others.
 */
export function fitsDatabase(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed()
}

/** The key that names an upload at the server and in storage. */
export const cloudKey = z.string().min(1).max(128).refine(fitsDatabase, 'Must be a key.')

/** An answer that only says that it was done. */
export const done = z.object({ message: z.string() })
