import { customAlphabet } from 'nanoid'

const keyLength = 26
const keyPattern = /^[0-9a-z]{26}$/

// Contains no capital letters, because on a case-insensitive file system, two keys that differ only
// in case would name the same file.
const randomKey = customAlphabet('0123456789abcdefghijklmnopqrstuvwxyz', keyLength)

/**
 * Creates a random object name of 26 characters (0-9a-z) from a secure source (134 bits). It is
 * safe in URLs and as a file name, reveals nothing about the file, and can't be guessed.
 */
export function newStorageKey(): string {
  return randomKey()
}

/** True if the text is a valid storage key. Check this before building a path from it. */
export function isStorageKey(text: string): boolean {
  return keyPattern.test(text)
}

/** @throws {RangeError} if the text isn't a storage key. */
export function assertStorageKey(text: string): void {
  if (!isStorageKey(text)) throw new RangeError('not a storage key')
}
