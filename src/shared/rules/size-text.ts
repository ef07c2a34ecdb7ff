const units = ['bytes', 'kb', 'mb', 'gb', 'tb']
const pattern = new RegExp(`^(\\d{1,16}(?:\\.\\d{1,3})?) ?(${units.join('|')})?$`)

/**
 * Reads a size as people write it: '500MB', '1.5 GB', or a number of bytes. Units are those of spec
 * §9 (base 1024) and TB, in upper or lower case.
 * @returns whole bytes; null for a text that is no size, or a size too large for exact arithmetic.
 */
export function parseSize(text: string): number | null {
  const [, number, unit = 'bytes'] = pattern.exec(text.toLowerCase()) ?? []
  if (number === undefined) return null
  const bytes = Math.round(Number(number) * 1024 ** units.indexOf(unit))
  return Number.isSafeInteger(bytes) ? bytes : null
}
