import { customAlphabet } from 'nanoid'

const keyLength = 26
const keyPattern = /^[0-9a-z]{26}$/

// Only lower case, so that two keys are never one file on a filesystem that ignores case.
const randomKey = customAlphabet('0123456789abcdefghijklmnopqrstuvwxyz', keyLength)

/**
 * Makes a new name for an object: 26 characters of 0-9a-z from a secure source (134 bits), safe in
 * a URL and as a file name. It tells nothing about the file and cannot be guessed.
 */
export function newStorageKey(): string {
  return randomKey()
}

/** Whether a text has the form of a storage key. This is checked before a path is made from it. */
export function isStorageKey(text: string): boolean {
  return keyPattern.test(text)
}
