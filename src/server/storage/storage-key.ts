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

/** A disk store keeps an object in a folder named after this many leading characters of its key. */
const folderLength = 2

/**
 * Returns a function that creates keys for objects stored together. The keys begin with the same
 * two random characters, so a disk store seals these objects into one folder and syncs it once for
 * all of them. The other characters are as random as those from `newStorageKey`.
 */
export function storageKeyMaker(): () => string {
  const folder = newStorageKey().slice(0, folderLength)
  return () => `${folder}${newStorageKey().slice(folderLength)}`
}

/** True if the text is a valid storage key. Check this before building a path from it. */
export function isStorageKey(text: string): boolean {
  return keyPattern.test(text)
}

/** @throws {RangeError} if the text isn't a storage key. */
export function assertStorageKey(text: string): void {
  if (!isStorageKey(text)) throw new RangeError('not a storage key')
}
