import { dayInMs, hourInMs, minuteInMs } from './units.ts'

/** Writes a number with its noun. Examples: '1 file', '1,234,567 files'. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString('en')} ${count === 1 ? one : many}`
}

/**
 * Returns a whole number with its digits in groups: 12345 becomes '12,345'. `toLocaleString('en')`
 * would return the same, but loading its data costs 3 ms of a start and 3 MiB of memory.
 */
export function groupedDigits(number: number): string {
  return String(number).replace(/\B(?=(\d{3})+$)/g, ',')
}

/**
 * Writes a price in dollars as people read it, everywhere in the product: '$8', '$9.50'. Whole
 * dollars have no cents.
 * @param price in dollars, as a number or as the text that is stored.
 */
export function priceText(price: number | string): string {
  return `$${amountText(price)}`
}

/** Writes a price without the dollar sign, for a field that has the sign itself: '8', '9.50'. */
export function amountText(price: number | string): string {
  const dollars = Number(price)
  return Number.isInteger(dollars) ? String(dollars) : dollars.toFixed(2)
}

/**
 * Returns the choices in words: '3, 5 or 7'. `Intl.ListFormat` would return the same, but loading
 * its data costs 12 ms of a start and 6 MiB of memory.
 */
export function anyOf(choices: readonly (string | number)[]): string {
  const others = choices.slice(0, -1).join(', ')
  const last = String(choices.at(-1) ?? '')
  return others === '' ? last : `${others} or ${last}`
}

/**
 * Writes a duration in words. From two days on, it counts in days. Examples: '10 minutes', '1
 * hour', '24 hours', '14 days'.
 * @param ms must be a whole number of minutes, hours or days, whichever the text counts.
 */
export function durationText(ms: number): string {
  if (ms >= 2 * dayInMs) return counted(ms / dayInMs, 'day')
  if (ms >= hourInMs) return counted(ms / hourInMs, 'hour')
  return counted(ms / minuteInMs, 'minute')
}
