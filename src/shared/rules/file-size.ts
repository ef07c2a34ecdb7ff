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

function oneDecimal(amount: number) {
  return Math.round(amount * 10) / 10
}
