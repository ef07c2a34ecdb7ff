/** The CRC-32 of some bytes, and their number. */
export interface SizedCrc32 {
  size: number
  crc32: number
}

/** The CRC's polynomial. The highest bit is the coefficient of x^0. */
const polynomial = 0xedb88320

/** Returns the CRC-32 of consecutive pieces. */
export function combineCrc32s(pieces: readonly SizedCrc32[]): SizedCrc32 {
  return pieces.reduce<SizedCrc32>(
    (before, { size, crc32 }) => ({
      size: before.size + size,
      // Appending a byte multiplies the CRC of the bytes before it by x^8.
      crc32: (multiply(before.crc32, powerOfX8(size)) ^ crc32) >>> 0,
    }),
    { size: 0, crc32: 0 },
  )
}

/** Returns x^(8 * exponent) modulo the polynomial. */
function powerOfX8(exponent: number): number {
  let result = 0x80000000
  let square = 0x00800000
  for (let rest = exponent; rest > 0; rest = Math.floor(rest / 2)) {
    if (rest % 2 === 1) result = multiply(result, square)
    square = multiply(square, square)
  }
  return result
}

/** Multiplies two polynomials over GF(2), modulo the CRC's polynomial. */
function multiply(a: number, b: number): number {
  let product = 0
  let shifted = b
  for (let bit = 0x80000000; bit !== 0; bit >>>= 1) {
    if (a & bit) product ^= shifted
    shifted = shifted & 1 ? (shifted >>> 1) ^ polynomial : shifted >>> 1
  }
  return product
}
