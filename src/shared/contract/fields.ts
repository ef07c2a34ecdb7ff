import { z } from 'zod'
import { maxMediaTypeLength, mediaType } from '../rules/files/media-type.ts'
import { groupedDigits } from '../rules/format/numbers.ts'
import { limitBounds } from '../rules/tiers/limit-settings.ts'

/** Dates are sent as ISO 8601 text in UTC. */
export const isoDate = z.iso.datetime()

/**
 * A short code as a link contains it. Any text is accepted here, since a wrong code only finds no
 * link: see `rules/short-code.ts`.
 */
export const shortCode = z.string()

/**
 * True if a text can be stored without change. Postgres does not accept NUL. In UTF-8 every lone
 * surrogate would become the same replacement character.
 */
export function fitsDatabase(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed()
}

/**
 * True if a text can be stored, has one line, and contains no control characters and none that
 * reorder text. Emails, lists and logs show such texts, and could mislead their readers otherwise.
 */
export function isPlainLine(text: string): boolean {
  return fitsDatabase(text) && !/[\p{Cc}\p{Bidi_Control}\u2028\u2029]/u.test(text)
}

/** True if a text has a character that a reader can see. U+2800 is a braille cell without dots. */
export function isVisible(text: string): boolean {
  return /[^\s\p{Default_Ignorable_Code_Point}\u2800]/u.test(text)
}

/** Characters that reorder text or control a terminal. Tab and line feed are not among them. */
const deceptive = /[[\p{Cc}--[\0\t\n]]\p{Bidi_Control}\u2028\u2029]/gv

/** Returns the error text for a text that is longer than `most` characters. */
export function tooLong(most: number): string {
  return `Must have ${groupedDigits(most)} characters at most.`
}

/**
 * A text of one or more lines, of at most `most` characters after trimming. Browsers send the lines
 * of a form field with CRLF. It becomes LF before the characters are counted. So a text that fits
 * the `maxlength` of its field is never refused as too long. Characters that would deceive a reader
 * in the Admin Center or in an email are removed.
 */
export function linesOfText(most: number) {
  return z
    .string()
    .overwrite((text) => text.replaceAll(/\r\n?/g, '\n').replaceAll(deceptive, ''))
    .trim()
    .min(1)
    .max(most, tooLong(most))
    .refine((text) => fitsDatabase(text) && isVisible(text), 'Must be text.')
}

/** The name of a file as the client sends it. The server cleans the name afterwards. */
export const fileName = z.string().min(1).max(1024)

/**
 * A media type (RFC 9110). Parameters after `;` are cut off. An empty type becomes
 * `application/octet-stream`.
 */
export const mimeType = z
  .string()
  .max(maxMediaTypeLength)
  .transform((type) => type.split(';', 1)[0]?.trim().toLowerCase() || 'application/octet-stream')
  .pipe(z.string().regex(mediaType, 'Must be a media type such as image/png.'))

/** The key that names an upload, both on the server and in storage. */
export const cloudKey = z.string().min(1).max(128).refine(fitsDatabase, 'Must be a key.')

const { least, most } = limitBounds.days

/** A number of days that a tier may offer for a link. */
export const daysOfTier = z.int().min(least).max(most)

/**
 * After how many days a link expires. Text such as '3' is accepted as well as a number. The
 * administrator's settings say which days a tier offers (see `checkDays`).
 */
export const expirationDays = z
  .union([z.string(), z.number()])
  .transform(String)
  .pipe(z.string().regex(/^\d{1,3}$/, `Must be a number of days from ${least} to ${most}.`))
  .transform(Number)
  .pipe(daysOfTier)

/** An answer that only says that the request was carried out. */
export const done = z.object({ message: z.string() })
