import { customAlphabet } from 'nanoid'

const keyLength = 26
const keyPattern = /^[0-9a-z]{26}$/

// Lower case only, so that two keys are still two files where the filesystem ignores case.
const randomKey = customAlphabet('0123456789abcdefghijklmnopqrstuvwxyz', keyLength)

/**
 * A new name for an object: 26 characters of 0-9a-z from a secure source (134 bits), safe in a
 * URL and as a file name. It says nothing about the file, and nobody can guess it.
 */
export function newStorageKey(): string {
  return randomKey()
}

/** Whether a text has the form of a storage key: asked before any path is made of it. */
export function isStorageKey(text: string): boolean {
  return keyPattern.test(text)
}
