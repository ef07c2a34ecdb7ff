const units = ['bytes', 'kb', 'mb', 'gb', 'tb']
const pattern = new RegExp(`^(\\d{1,16}(?:\\.\\d{1,3})?) ?(${units.join('|')})?$`)

/**
 * Reads a size, in upper or lower case. The units are TB and those of spec §9, with base 1024.
 * Examples: '500MB', '1.5 GB', '2000' for bytes.
 * @returns whole bytes. null if the text is no size, or if the size is too large for exact
 * arithmetic.
 */
export function parseSize(text: string): number | null {
  const [, number, unit = 'bytes'] = pattern.exec(text.toLowerCase()) ?? []
  if (number === undefined) return null
  const bytes = Math.round(Number(number) * 1024 ** units.indexOf(unit))
  return Number.isSafeInteger(bytes) ? bytes : null
}
