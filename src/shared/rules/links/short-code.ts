/**
 * Length of a short code in characters. With 49 possible characters, this is about 56 random bits.
 */
export const shortCodeLength = 10

/** Letters and digits without lookalikes: 0 O o, 1 I l, 2 Z, 5 S s, u v. */
export const shortCodeAlphabet = '346789ABCDEFGHJKLMNPQRTUVWXYabcdefghijkmnpqrtwxyz'

const shortCodePattern = new RegExp(`^[${shortCodeAlphabet}]{${shortCodeLength}}$`)

/** True if the text has the form of a short code. Saves a database query for any other text. */
export function isShortCode(text: string): boolean {
  return shortCodePattern.test(text)
}

const code = `([${shortCodeAlphabet}]{${shortCodeLength}})`
const codePattern = new RegExp(`^${code}$`)
/** Paths that contain a short code: the link's page, its legacy path, and API calls. */
const pathPattern = new RegExp(`/(?:s|download|api/links)/${code}(?![A-Za-z0-9])`)

/**
 * Extracts the short code from typed or pasted text: the code alone, or text that contains the URL
 * of a link. Returns null if there is none. Doesn't check that the code exists.
 */
export function extractShortCode(input: string): string | null {
  const trimmed = input.trim()
  return (codePattern.exec(trimmed) ?? pathPattern.exec(trimmed))?.[1] ?? null
}
