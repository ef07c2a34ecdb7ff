import { crc32 } from 'node:zlib'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { combineCrc32s } from './crc32.ts'

it('the combined CRC-32 of any pieces is that of all their bytes', () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 5000, size: 'max' })), (pieces) => {
      const sized = pieces.map((bytes) => ({ size: bytes.length, crc32: crc32(bytes) }))
      const whole = Buffer.concat(pieces)
      expect(combineCrc32s(sized)).toEqual({ size: whole.length, crc32: crc32(whole) })
    }),
  )
})

it('pieces beyond 4 GiB can be combined in any grouping', () => {
  const piece = fc.record({ size: fc.nat(2 ** 40), crc32: fc.nat(2 ** 32 - 1) })
  fc.assert(
    fc.property(piece, piece, piece, (a, b, c) => {
      const whole = combineCrc32s([a, b, c])
      expect(combineCrc32s([a, combineCrc32s([b, c])])).toEqual(whole)
      expect(combineCrc32s([combineCrc32s([a, b]), c])).toEqual(whole)
    }),
  )
})
