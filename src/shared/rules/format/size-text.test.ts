import fc from 'fast-check'
import { expect, test } from 'vitest'
import { formatSizeLimit } from './file-size.ts'
import { parseSize } from './size-text.ts'

const megabyte = 1024 ** 2

test.each<[string, number | null]>([
  ['0', 0],
  ['524288000', 524_288_000],
  ['500MB', 500 * megabyte],
  ['500 mb', 500 * megabyte],
  ['1.5 GB', 1536 * megabyte],
  ['0.001KB', 1],
  ['2TB', 2 * 1024 ** 4],
  ['7 Bytes', 7],
  ['', null],
  ['MB', null],
  ['-1', null],
  ['1e9', null],
  ['0x10', null],
  ['1,5GB', null],
  ['1.GB', null],
  ['500  MB', null],
  ['500MiB', null],
  ['9007199254740992', null],
  ['9000000000000000TB', null],
  ['NaN', null],
])('%j', (text, bytes) => {
  expect(parseSize(text)).toBe(bytes)
})

test('reads back what limits are shown as, to the rounding of one decimal', () => {
  fc.assert(
    fc.property(fc.nat(80_000 * megabyte), (bytes) => {
      const read = parseSize(formatSizeLimit(bytes))
      expect(read).not.toBeNull()
      expect(formatSizeLimit(read ?? 0)).toBe(formatSizeLimit(bytes))
    }),
  )
})

test('a number of bytes is exact', () => {
  fc.assert(
    fc.property(fc.maxSafeNat(), (bytes) => {
      expect(parseSize(String(bytes))).toBe(bytes)
    }),
  )
})
