import { randomInt } from 'node:crypto'
import { crc32 } from 'node:zlib'

const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const keyPattern = /^(mfy_[\da-z]{32})([\da-z]{6})$/i
const prefixLength = 8

/**
 * Creates an API key: `mfy_`, 32 random characters and a checksum of 6. With the checksum, programs
 * that search for leaked keys can tell a key from other text.
 */
export function newApiKey(): string {
  const random = Array.from({ length: 32 }, () => digits[randomInt(digits.length)])
  const text = `mfy_${random.join('')}`
  return text + checksumOf(text)
}

/** True if the text has a key's format and checksum. */
export function isApiKey(text: string): boolean {
  const [, start = '', checksum] = keyPattern.exec(text) ?? []
  return checksumOf(start) === checksum
}

/** Returns the start of a key, by which its owner recognizes it. */
export function keyPrefix(key: string): string {
  return key.slice(0, prefixLength)
}

function checksumOf(text: string): string {
  let checksum = ''
  for (let rest = crc32(text); checksum.length < 6; rest = Math.floor(rest / digits.length)) {
    checksum = digits[rest % digits.length] + checksum
  }
  return checksum
}
