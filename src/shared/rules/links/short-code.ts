/**
 * The number of characters in a short code. Each is one of 49, so a code has about 56 random bits.
 */
export const shortCodeLength = 10

/** Letters and digits, without those that look alike: 0 O o, 1 I l, 2 Z, 5 S s, u v. */
export const shortCodeAlphabet = '346789ABCDEFGHJKLMNPQRTUVWXYabcdefghijkmnpqrtwxyz'

const shape = new RegExp(`^[${shortCodeAlphabet}]{${shortCodeLength}}$`)

/**
 * True for a text that could be a short code. This cheap check saves a database query for any other
 * text.
 */
export function isShortCode(text: string): boolean {
  return shape.test(text)
}

const code = `([${shortCodeAlphabet}]{${shortCodeLength}})`
const bare = new RegExp(`^${code}$`)
/** The paths that name a link: its page, its older path, and the calls about it. */
const inPath = new RegExp(`/(?:s|download|api/links)/${code}(?![A-Za-z0-9])`)

/**
 * Returns the short code in a text that somebody typed or pasted. The text is the code itself, or
 * it contains the address of a link. Returns null if it contains no code. It does not check whether
 * a file has this code.
 */
export function linkCode(typed: string): string | null {
  const text = typed.trim()
  return (bare.exec(text) ?? inPath.exec(text))?.[1] ?? null
}
