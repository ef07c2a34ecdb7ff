import { z } from 'zod'
import { anyOf } from '../rules/any-of.ts'
import { expirationDays as daysToChoose, type ExpirationDays } from '../rules/lifetime.ts'

/** Dates travel as ISO 8601 text in UTC. */
export const isoDate = z.iso.datetime()

/**
 * A short code as it stands in a link. Any text is accepted here, since a wrong code only finds no
 * link: see `rules/short-code.ts`.
 */
export const shortCode = z.string()

/**
 * Whether a text survives the database and any other UTF-8 unchanged. Postgres does not accept NUL.
 * Every lone surrogate would become the same replacement character.
 */
export function fitsDatabase(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed()
}

/** The key that names an upload, both at the server and in storage. */
export const cloudKey = z.string().min(1).max(128).refine(fitsDatabase, 'Must be a key.')

/** The spec sends the days as text; a number is accepted too. */
export const expirationDays = z
  .union([z.string(), z.number()])
  .transform(String)
  .pipe(z.enum(daysToChoose.map(String), `Must be ${anyOf(daysToChoose)}.`))
  .transform((days) => Number(days) as ExpirationDays)

/** An answer that only says that the request was carried out. */
export const done = z.object({ message: z.string() })
