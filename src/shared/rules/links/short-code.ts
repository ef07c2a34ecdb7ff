/** Number of characters in a short code. With an alphabet of 49, this is about 56 random bits. */
export const shortCodeLength = 10

/** Letters and digits without lookalikes: 0 O o, 1 I l, 2 Z, 5 S s, u v. */
export const shortCodeAlphabet = '346789ABCDEFGHJKLMNPQRTUVWXYabcdefghijkmnpqrtwxyz'

const shortCodePattern = new RegExp(`^[${shortCodeAlphabet}]{${shortCodeLength}}$`)

/**
 * True if the text has the form of a short code. Checking it first saves a database query for other
 * text.
 */
export function isShortCode(text: string): boolean {
  return shortCodePattern.test(text)
}

const code = `([${shortCodeAlphabet}]{${shortCodeLength}})`
const codePattern = new RegExp(`^${code}$`)
/** Paths that contain a short code: the page of a link, its legacy path, and API calls. */
const pathPattern = new RegExp(`/(?:s|download|api/links)/${code}(?![A-Za-z0-9])`)

/**
 * Extracts the short code from typed or pasted text: either the code alone, or text that contains a
 * link. Returns null if there is none. Doesn't check whether the link exists.
 */
export function extractShortCode(input: string): string | null {
  const trimmed = input.trim()
  return (codePattern.exec(trimmed) ?? pathPattern.exec(trimmed))?.[1] ?? null
}
