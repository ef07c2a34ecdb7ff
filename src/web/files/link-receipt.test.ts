import { expect, it } from 'vitest'
import { receiptText } from './link-receipt.tsx'

const sha256 = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'
const storedAt = new Date('2026-11-14T20:40:11.900Z')
const dueAt = new Date('2026-12-14T20:40:11.900Z')
const origin = 'https://files.example.org'

it('the receipt text contains the file and its dates', () => {
  const file = { name: 'press-kit.zip', size: 101_084_160, sha256 }
  expect(receiptText([file], { storedAt, dueAt, purgedAt: null }, origin).split('\n')).toEqual([
    'Receipt from https://files.example.org',
    'File: press-kit.zip',
    'Size: 96.4 MB (101,084,160 bytes)',
    `SHA-256: ${sha256}`,
    'Stored: 2026-11-14 20:40:11 UTC',
    'Removal due: 2026-12-14 20:40:11 UTC',
  ])
})

it('the receipt text contains the removal time and omits unknown values', () => {
  const file = { name: 'a', size: 12, sha256: null }
  const text = receiptText([file], { storedAt, dueAt: null, purgedAt: dueAt }, origin)
  expect(text.split('\n').slice(2)).toEqual([
    'Size: 12 Bytes',
    'Stored: 2026-11-14 20:40:11 UTC',
    'Bytes deleted: 2026-12-14 20:40:11 UTC, confirmed by storage',
  ])
})
