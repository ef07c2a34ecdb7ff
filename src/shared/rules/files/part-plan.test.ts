import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { maxPartCount, partRange, partSizeFor, planParts } from './part-plan.ts'

const mebibyte = 1024 ** 2
const gibibyte = 1024 ** 3

describe('partSizeFor', () => {
  it.each([
    [0, 8],
    [1, 8],
    [gibibyte, 8],
    [8 * mebibyte * maxPartCount, 8],
    [8 * mebibyte * maxPartCount + 1, 9],
    [5 * 1024 * gibibyte, 525],
  ])('%i bytes: parts of %i MiB', (fileSize, expected) => {
    expect(partSizeFor(fileSize)).toBe(expected * mebibyte)
  })
})

describe('planParts', () => {
  it.each([
    [0, 1],
    [8 * mebibyte, 1],
    [8 * mebibyte + 1, 2],
    [gibibyte, 128],
  ])('%i bytes: %i parts', (fileSize, count) => {
    expect(planParts(fileSize, partSizeFor(fileSize))).toEqual({ size: 8 * mebibyte, count })
  })

  it('covers every file without gaps, with no more parts than S3 allows', () => {
    const size = fc.oneof(fc.integer({ min: 0, max: 3 * gibibyte }), fc.nat(2 ** 42))
    fc.assert(
      fc.property(size, (fileSize) => {
        const partSize = partSizeFor(fileSize)
        const { count } = planParts(fileSize, partSize)
        expect(count).toBeLessThanOrEqual(maxPartCount)
        let expectedOffset = 0
        for (let partNumber = 1; partNumber <= count; partNumber += 1) {
          const part = partRange(fileSize, partSize, partNumber)
          if (part.offset !== expectedOffset || part.size > partSize)
            throw new Error(`part ${partNumber}`)
          expectedOffset += part.size
        }
        expect(expectedOffset).toBe(fileSize)
      }),
      { numRuns: 50 },
    )
  })
})

describe('partRange', () => {
  it('returns a shorter range for the last part', () => {
    expect(partRange(9 * mebibyte, 8 * mebibyte, 2)).toEqual({
      partNumber: 2,
      offset: 8 * mebibyte,
      size: mebibyte,
    })
  })
})
