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
