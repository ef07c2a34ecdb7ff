import { customAlphabet } from 'nanoid'

const keyLength = 26
const keyPattern = /^[0-9a-z]{26}$/

// The key has no capital letters. Otherwise, where a file system ignores case, two keys that differ
// only in case would name the same file.
const randomKey = customAlphabet('0123456789abcdefghijklmnopqrstuvwxyz', keyLength)

/**
 * Makes a new name for an object: 26 characters of 0-9a-z from a secure source (134 bits), safe in
 * a URL and as a file name. It tells nothing about the file and cannot be guessed.
 */
export function newStorageKey(): string {
  return randomKey()
}

/**
 * How many characters at the beginning of a key are the name of a folder. A disk store keeps the
 * object in that folder.
 */
const folderLength = 2

/**
 * Returns a function that makes keys for objects that are stored together. They begin with the same
 * two random characters. So a disk store seals these objects into one folder, and one sync of this
 * folder suffices for all of them. The other characters of each key are as random as those of
 * `newStorageKey`.
 */
export function storageKeyMaker(): () => string {
  const folder = newStorageKey().slice(0, folderLength)
  return () => `${folder}${newStorageKey().slice(folderLength)}`
}

/**
 * Tells whether a text has the form of a storage key. This is checked before a path is made from
 * the text.
 */
export function isStorageKey(text: string): boolean {
  return keyPattern.test(text)
}

/** @throws {RangeError} when the text is no storage key. */
export function assertStorageKey(text: string): void {
  if (!isStorageKey(text)) throw new RangeError('not a storage key')
}
