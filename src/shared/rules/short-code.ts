/** Characters in the code of a short link: 49 to the power of 10 codes, some 56 bits. */
export const shortCodeLength = 10

/** Letters and digits without those that look like another: 0 O o, 1 I l, 2 Z, 5 S s, u v. */
export const shortCodeAlphabet = '346789ABCDEFGHJKLMNPQRTUVWXYabcdefghijkmnpqrtwxyz'

const shape = new RegExp(`^[${shortCodeAlphabet}]{${shortCodeLength}}$`)

/** True for a text that could be a short code: a cheap guard before asking the database. */
export function isShortCode(text: string): boolean {
  return shape.test(text)
}
