import { z } from 'zod'

/** Dates travel as ISO 8601 text in UTC. */
export const isoDate = z.iso.datetime()

/** A short code as it stands in a link. Any other text is simply no code: see `rules/short-code.ts`. */
export const shortCode = z.string()

/** What Postgres cannot keep as text. */
export const withoutNul = (text: string): boolean => !text.includes('\0')

/** The key that names an upload at the server and in storage. */
export const cloudKey = z.string().min(1).max(128).refine(withoutNul, 'Must be a key.')

/** An answer that only says that it was done. */
export const done = z.object({ message: z.string() })
