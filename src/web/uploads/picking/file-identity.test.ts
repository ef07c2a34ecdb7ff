import { expect, test } from 'vitest'
import type { FileIdentity } from '../records/upload-record.ts'
import { isSameFile, mismatchText } from './file-identity.ts'

const originalIdentity: FileIdentity = {
  name: 'harbour.mov',
  size: 5_000_000,
  lastModified: 1_700_000_000_000,
}

test.each<[string, Partial<FileIdentity>, boolean]>([
  ['the same file', {}, true],
  ['another date', { lastModified: 1 }, false],
  ['another size', { size: 5_000_001 }, false],
  ['another name', { name: 'harbor.mov' }, false],
])('a file is recognized by name, size and date: %s', (_, difference, isSame) => {
  expect(isSameFile(originalIdentity, { ...originalIdentity, ...difference })).toBe(isSame)
})

test('names with composed and decomposed accents are equal', () => {
  const composedIdentity = { ...originalIdentity, name: 'caf\u00e9.mov' }
  expect(isSameFile(composedIdentity, { ...composedIdentity, name: 'cafe\u0301.mov' })).toBe(true)
})

test('a copy with a different date can be chosen', () => {
  expect(mismatchText(originalIdentity, { ...originalIdentity, lastModified: 1 })).toBeNull()
})

test('a rejection names both files and the difference', () => {
  expect(mismatchText(originalIdentity, { ...originalIdentity, name: 'beach.mov' })).toBe(
    'beach.mov is not harbour.mov. Choose harbour.mov to go on with its upload.',
  )
  expect(mismatchText(originalIdentity, { ...originalIdentity, size: 2_000_000 })).toBe(
    'This harbour.mov is not the harbour.mov whose upload was paused: it has 1.9 MB, not 4.8 MB.',
  )
  expect(mismatchText(originalIdentity, { ...originalIdentity, size: 5_000_001 })).toBe(
    'This harbour.mov is not the harbour.mov whose upload was paused: it has 5,000,001 Bytes, not 5,000,000 Bytes.',
  )
})
