const units = ['Bytes', 'KB', 'MB', 'GB'] as const

/**
 * Writes a size as people read it. Spec §9: Bytes, KB, MB, GB (base 1024). It has at most one
 * decimal, and no decimal 0. A size that would round to 1024 of a unit becomes 1 of the next unit.
 * GB is the largest unit. A value that is no size (negative, not a number) becomes '0 Bytes'.
 */
export function formatSize(bytes: number): string {
  let amount = Math.max(0, Math.round(bytes)) || 0
  let unit = 0
  while (oneDecimal(amount) >= 1024 && unit < units.length - 1) {
    amount /= 1024
    unit += 1
  }
  return `${oneDecimal(amount)} ${units[unit]}`
}

/**
 * Writes a limit in the spec's form, without a space before the unit: '500MB', '1GB'. A limit in
 * 'Bytes' keeps the space.
 */
export function formatSizeLimit(bytes: number): string {
  return formatSize(bytes).replace(/ (?=[KMG]B)/, '')
}

/**
 * Rounds a size down to one that `formatSize` writes exactly. So a text with the result never
 * promises more than there is.
 */
export function roundSizeDown(bytes: number): number {
  const whole = Math.max(0, Math.floor(bytes)) || 0
  const unit = units.findLastIndex((_, power) => whole >= 1024 ** power)
  const factor = 1024 ** Math.max(0, unit)
  return Math.floor((Math.floor((whole / factor) * 10) / 10) * factor)
}

function oneDecimal(amount: number) {
  return Math.round(amount * 10) / 10
}

const typedUnits = ['bytes', 'kb', 'mb', 'gb', 'tb']
const pattern = new RegExp(`^(\\d{1,16}(?:\\.\\d{1,3})?) ?(${typedUnits.join('|')})?$`)

/**
 * Reads a size, in upper or lower case. The units are TB and those of spec §9, with base 1024.
 * Examples: '500MB', '1.5 GB', '2000' for bytes.
 * @returns whole bytes. null if the text is no size, or if the size is too large for exact
 * arithmetic.
 */
export function parseSize(text: string): number | null {
  const [, number, unit = 'bytes'] = pattern.exec(text.toLowerCase()) ?? []
  if (number === undefined) return null
  const bytes = Math.round(Number(number) * 1024 ** typedUnits.indexOf(unit))
  return Number.isSafeInteger(bytes) ? bytes : null
}
