const units = ['Bytes', 'KB', 'MB', 'GB'] as const

/**
 * Formats a size with units of base 1024 (spec §9): Bytes, KB, MB, GB. There is at most one
 * decimal, and never '.0'. A size that would round to 1024 of a unit becomes 1 of the next; GB is
 * the largest. Negative numbers and NaN become '0 Bytes'.
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
 * Formats a limit as the spec does, without a space before the unit: '500MB', '1GB'. Only 'Bytes'
 * keeps the space.
 */
export function formatSizeLimit(bytes: number): string {
  return formatSize(bytes).replace(/ (?=[KMG]B)/, '')
}

/**
 * Rounds down to a size that `formatSize` can represent, so that the text never promises more than
 * is available.
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
 * Parses a size, case-insensitively. Units are TB and those of spec §9, with base 1024. Examples:
 * '500MB', '1.5 GB', '2000' for bytes.
 * @returns whole bytes, or null if the text is invalid or the size exceeds exact integers.
 */
export function parseSize(text: string): number | null {
  const [, number, unit = 'bytes'] = pattern.exec(text.toLowerCase()) ?? []
  if (number === undefined) return null
  const bytes = Math.round(Number(number) * 1024 ** typedUnits.indexOf(unit))
  return Number.isSafeInteger(bytes) ? bytes : null
}
