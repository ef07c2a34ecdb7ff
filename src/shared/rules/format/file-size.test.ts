import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { formatSize, formatSizeLimit, parseSize, roundSizeDown } from './file-size.ts'

const kb = 1024
const mb = 1024 ** 2
const gb = 1024 ** 3

describe('formatSize', () => {
  it.each([
    [0, '0 Bytes'],
    [1, '1 Bytes'],
    [1023, '1023 Bytes'],
    [kb, '1 KB'],
    [1536, '1.5 KB'],
    [1.04 * kb, '1 KB'],
    [mb - 1, '1 MB'],
    [1023.94 * kb, '1023.9 KB'],
    [mb, '1 MB'],
    [96.4 * mb, '96.4 MB'],
    [500 * mb, '500 MB'],
    [gb - 1, '1 GB'],
    [gb, '1 GB'],
    [1.25 * gb, '1.3 GB'],
    [5000 * gb, '5000 GB'],
    [-5, '0 Bytes'],
    [Number.NaN, '0 Bytes'],
    [0.4, '0 Bytes'],
  ])('formats %d as %s', (bytes, text) => {
    expect(formatSize(bytes)).toBe(text)
  })

  it('returns a number below 1024 with at most one decimal, never .0, and a unit', () => {
    fc.assert(
      fc.property(
        fc.maxSafeNat().map((n) => n % (1000 * gb)),
        (bytes) => {
          const [, number] =
            /^(\d{1,4}(?:\.[1-9])?) (?:Bytes|KB|MB|GB)$/.exec(formatSize(bytes)) ?? []
          expect(number).toBeDefined()
          expect(Number(number)).toBeLessThan(1024)
        },
      ),
    )
  })

  it('is accurate to half a unit of the last digit', () => {
    const unitBytes = { Bytes: 1, KB: kb, MB: mb, GB: gb }
    fc.assert(
      fc.property(fc.nat(2 ** 31 - 1), (bytes) => {
        const [number, unit] = formatSize(bytes).split(' ') as [string, keyof typeof unitBytes]
        expect(Math.abs(Number(number) * unitBytes[unit] - bytes)).toBeLessThanOrEqual(
          0.05 * unitBytes[unit] + 1e-6,
        )
      }),
    )
  })
})

describe('formatSizeLimit', () => {
  it.each([
    [500 * mb, '500MB'],
    [gb, '1GB'],
    [1.5 * gb, '1.5GB'],
    [0, '0 Bytes'],
  ])('formats %d as %s, as the spec writes limits', (bytes, text) => {
    expect(formatSizeLimit(bytes)).toBe(text)
  })
})

describe('roundSizeDown', () => {
  it.each([
    [0, 0],
    [-5, 0],
    [Number.NaN, 0],
    [1023, 1023],
    [1024 + 102, 1024],
    [1024 + 103, 1126],
    [45.96 * mb, Math.floor(45.9 * mb)],
    [500 * mb, 500 * mb],
  ])('rounds %d to %d', (bytes, rounded) => {
    expect(roundSizeDown(bytes)).toBe(rounded)
  })

  it('never rounds up, and reduces by less than a tenth of the unit', () => {
    const unitBytes = { Bytes: 1, KB: kb, MB: mb, GB: gb }
    fc.assert(
      fc.property(fc.nat(2 ** 31 - 1), (bytes) => {
        const roundedBytes = roundSizeDown(bytes)
        const [number, unit] = formatSize(roundedBytes).split(' ') as [
          string,
          keyof typeof unitBytes,
        ]
        expect(roundedBytes).toBeLessThanOrEqual(bytes)
        expect(bytes - roundedBytes).toBeLessThan(0.1 * unitBytes[unit] + 1)
        expect(Number(number) * unitBytes[unit]).toBeLessThanOrEqual(bytes)
      }),
    )
  })
})

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
])('parseSize(%j) is %j', (text, bytes) => {
  expect(parseSize(text)).toBe(bytes)
})

test('parseSize reads formatted limits back, accurate to one decimal', () => {
  fc.assert(
    fc.property(fc.nat(80_000 * megabyte), (bytes) => {
      const parsedBytes = parseSize(formatSizeLimit(bytes))
      expect(parsedBytes).not.toBeNull()
      expect(formatSizeLimit(parsedBytes ?? 0)).toBe(formatSizeLimit(bytes))
    }),
  )
})

test('parseSize reads a number of bytes exactly', () => {
  fc.assert(
    fc.property(fc.maxSafeNat(), (bytes) => {
      expect(parseSize(String(bytes))).toBe(bytes)
    }),
  )
})
