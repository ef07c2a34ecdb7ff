import { z } from 'zod'
import { maxMediaTypeLength, mediaTypePattern } from '../rules/files/file-kind.ts'
import { groupDigits } from '../rules/format/numbers.ts'
import { hasVisibleCharacter, isStorableText } from '../rules/format/text.ts'
import { limitBounds } from '../rules/tiers/limit-settings.ts'

/**
 * A date in a response. The server's handlers return a `Date`, which clients receive as ISO 8601
 * text in UTC.
 */
export const isoDate = z
  .date()
  .transform((date) => date.toISOString())
  .pipe(z.iso.datetime())

/** Any text is accepted, because an invalid code simply finds no link. */
export const shortCode = z.string().describe('The end of the link: `/s/{shortCode}`.')

/** Bidirectional controls and terminal control characters, except tab and line feed. */
const deceptiveCharacters = /[[\p{Cc}--[\0\t\n]]\p{Bidi_Control}\u2028\u2029]/gv

/** Returns the error message for text longer than `max` characters. */
export function tooLongText(max: number): string {
  return `Must have ${groupDigits(max)} characters at most.`
}

/**
 * Schema for multi-line text of up to `max` characters. CRLF counts as one character, as it does
 * for the `maxlength` of a form field. Bidirectional controls and terminal control characters are
 * removed.
 */
export function multilineText(max: number) {
  return z
    .string()
    .overwrite((text) => text.replaceAll(/\r\n?/g, '\n').replaceAll(deceptiveCharacters, ''))
    .trim()
    .min(1)
    .max(max, tooLongText(max))
    .refine((text) => isStorableText(text) && hasVisibleCharacter(text), 'Must be text.')
}

export const fileName = z.string().min(1).max(1024)

/**
 * A media type (RFC 9110). Parameters are removed, and an empty value becomes
 * `application/octet-stream`.
 */
export const mimeType = z
  .string()
  .max(maxMediaTypeLength)
  .transform((type) => type.split(';', 1)[0]?.trim().toLowerCase() || 'application/octet-stream')
  .pipe(z.string().regex(mediaTypePattern, 'Must be a media type such as image/png.'))

/** The storage key of an upload. */
export const cloudKey = z.string().min(1).max(128).refine(isStorableText, 'Must be a key.')

const { min, max } = limitBounds.days

export const numberOfDays = z.int().min(min).max(max)

/** Accepts a number or text such as '3'. `checkDays` later checks whether the tier offers it. */
export const expirationDays = z
  .union([z.string(), z.number()])
  .transform(String)
  .pipe(z.string().regex(/^\d{1,3}$/, `Must be a number of days from ${min} to ${max}.`))
  .transform(Number)
  .pipe(numberOfDays)
  .describe('Days until the link expires: one of the choices of your tier.')

/** The response of endpoints that return no data. */
export const messageResponse = z.object({ message: z.string() })
