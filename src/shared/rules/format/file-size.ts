const units = ['Bytes', 'KB', 'MB', 'GB'] as const

/**
 * Formats a size in Bytes, KB, MB or GB, where each unit is 1024 times the one before (spec §9).
 * Uses at most one decimal, and never '.0'. A size that would round to 1024 of a unit is shown as 1
 * of the next, up to GB. Negative numbers and NaN become '0 Bytes'.
 */
export function formatSize(bytes: number): string {
  let amount = Math.max(0, Math.round(bytes)) || 0
  let unitIndex = 0
  while (roundToOneDecimal(amount) >= 1024 && unitIndex < units.length - 1) {
    amount /= 1024
    unitIndex += 1
  }
  return `${roundToOneDecimal(amount)} ${units[unitIndex]}`
}

/**
 * Formats a limit as the spec does, without a space before the unit, such as '500MB'. Only 'Bytes'
 * is still preceded by a space.
 */
export function formatSizeLimit(bytes: number): string {
  return formatSize(bytes).replace(/ (?=[KMG]B)/, '')
}

/**
 * Rounds down to a size that `formatSize` can show exactly, so the text never promises more space
 * than is available.
 */
export function roundSizeDown(bytes: number): number {
  const wholeBytes = Math.max(0, Math.floor(bytes)) || 0
  const unitIndex = units.findLastIndex((_, exponent) => wholeBytes >= 1024 ** exponent)
  const unitBytes = 1024 ** Math.max(0, unitIndex)
  return Math.floor((Math.floor((wholeBytes / unitBytes) * 10) / 10) * unitBytes)
}

function roundToOneDecimal(amount: number) {
  return Math.round(amount * 10) / 10
}

const inputUnits = ['bytes', 'kb', 'mb', 'gb', 'tb']
const sizePattern = new RegExp(`^(\\d{1,16}(?:\\.\\d{1,3})?) ?(${inputUnits.join('|')})?$`)

/**
 * Parses a size, such as '500MB' or '1.5 GB', ignoring case. Accepts TB and the units in spec §9,
 * all powers of 1024. A number without a unit is in bytes.
 * @returns whole bytes, or null if the text is invalid or the size exceeds the range of exact
 * integers.
 */
export function parseSize(text: string): number | null {
  const [, number, unit = 'bytes'] = sizePattern.exec(text.toLowerCase()) ?? []
  if (number === undefined) return null
  const bytes = Math.round(Number(number) * 1024 ** inputUnits.indexOf(unit))
  return Number.isSafeInteger(bytes) ? bytes : null
}
