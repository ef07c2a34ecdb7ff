import { expect, test } from 'vitest'
import type { FileIdentity } from '../records/upload-record.ts'
import { identify, isSameFile, otherFileText, refuseOtherFile } from './file-identity.ts'

const known: FileIdentity = {
  name: 'harbour.mov',
  size: 5_000_000,
  lastModified: 1_700_000_000_000,
  sample: 'abc',
}

test.each<[string, Partial<FileIdentity>, boolean]>([
  ['the very file', {}, true],
  ['a copy from a backup: another date, the same bytes', { lastModified: 1 }, true],
  ['changed bytes, even with the date kept', { sample: 'xyz' }, false],
  ['another size', { size: 5_000_001 }, false],
  ['another name', { name: 'harbor.mov' }, false],
  ['no sample to be had, the same date', { sample: null }, true],
  ['no sample to be had, another date', { sample: null, lastModified: 1 }, false],
])('%s', (_, difference, same) => {
  expect(isSameFile(known, { ...known, ...difference })).toBe(same)
})

test('without a sample, a file is recognised by its date', () => {
  const unsampled = { ...known, sample: null }
  expect(isSameFile(unsampled, known)).toBe(true)
  expect(isSameFile(unsampled, { ...known, lastModified: 1 })).toBe(false)
})

test('names with composed and decomposed accents are equal', () => {
  const composed = { ...known, name: 'caf\u00e9.mov' }
  expect(isSameFile(composed, { ...composed, name: 'cafe\u0301.mov' })).toBe(true)
})

test('a refusal names both files and the difference', () => {
  expect(otherFileText(known, { ...known, name: 'beach.mov' })).toBe(
    'beach.mov is not harbour.mov. Choose harbour.mov to go on with its upload.',
  )
  expect(otherFileText(known, { ...known, size: 2_000_000 })).toBe(
    'This harbour.mov is not the harbour.mov whose upload was paused: it has 1.9 MB, not 4.8 MB.',
  )
  expect(otherFileText(known, { ...known, size: 5_000_001 })).toBe(
    'This harbour.mov is not the harbour.mov whose upload was paused: it has 5,000,001 Bytes, not 5,000,000 Bytes.',
  )
  expect(otherFileText(known, { ...known, sample: 'xyz' })).toBe(
    'This harbour.mov is not the harbour.mov whose upload was paused: its content has changed.',
  )
  expect(otherFileText({ ...known, sample: null }, { ...known, lastModified: 1 })).toBe(
    'This harbour.mov is not the harbour.mov whose upload was paused: it has another date.',
  )
})

test('a file is read only if its name and size match', async () => {
  let read = 0
  const sample = async (file: File) => {
    read += 1
    return `sample of ${await file.text()}`
  }
  const file = new File(['hello'], 'a.txt', { lastModified: 7 })
  const identity = await identify(file, sample)
  expect(identity).toEqual({ name: 'a.txt', size: 5, lastModified: 7, sample: 'sample of hello' })
  read = 0

  const copy = new File(['hello'], 'a.txt', { lastModified: 8 })
  expect(await refuseOtherFile(identity, copy, sample)).toBeNull()
  expect(read).toBe(1)
  const changed = new File(['hallo'], 'a.txt', { lastModified: 7 })
  expect(await refuseOtherFile(identity, changed, sample)).toContain('its content has changed')
  expect(read).toBe(2)
  const other = new File(['hello'], 'b.txt', { lastModified: 7 })
  expect(await refuseOtherFile(identity, other, sample)).toContain('b.txt is not a.txt')
  const longer = new File(['hello!'], 'a.txt', { lastModified: 7 })
  expect(await refuseOtherFile(identity, longer, sample)).toContain('6 Bytes, not 5 Bytes')
  expect(read).toBe(2)
})
