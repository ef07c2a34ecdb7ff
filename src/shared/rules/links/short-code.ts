/**
 * Number of characters in a short code. With an alphabet of 49 characters, this gives about 56
 * random bits.
 */
export const shortCodeLength = 10

/** Letters and digits without those that look alike: 0 O o, 1 I l, 2 Z, 5 S s, u v. */
export const shortCodeAlphabet = '346789ABCDEFGHJKLMNPQRTUVWXYabcdefghijkmnpqrtwxyz'

const shortCodePattern = new RegExp(`^[${shortCodeAlphabet}]{${shortCodeLength}}$`)

/**
 * True if the text has the form of a short code. Checking this first avoids a database query for
 * text that can't be one.
 */
export function isShortCode(text: string): boolean {
  return shortCodePattern.test(text)
}

const code = `([${shortCodeAlphabet}]{${shortCodeLength}})`
const codePattern = new RegExp(`^${code}$`)
/** Paths that contain a short code: a link's page, its legacy path, and API calls. */
const pathPattern = new RegExp(`/(?:s|download|api/links)/${code}(?![A-Za-z0-9])`)

/**
 * Extracts the short code from typed or pasted text, which is either the code alone or text that
 * contains a link. Returns null if there is no code. Doesn't check whether the link exists.
 */
export function extractShortCode(input: string): string | null {
  const trimmed = input.trim()
  return (codePattern.exec(trimmed) ?? pathPattern.exec(trimmed))?.[1] ?? null
}
