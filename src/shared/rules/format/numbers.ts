import { dayInMs, hourInMs, minuteInMs } from './units.ts'

/** Formats a number with its noun, such as '1 file' or '1,234,567 files'. */
export function formatCount(count: number, singular: string, plural = `${singular}s`): string {
  return `${groupDigits(count)} ${count === 1 ? singular : plural}`
}

/**
 * Formats a whole number with thousands separators, such as '12,345'. Unlike
 * `toLocaleString('en')`, it needs no locale data, which would add 20 ms to startup and 3 MiB of
 * memory.
 */
export function groupDigits(number: number): string {
  return String(number).replace(/\B(?=(\d{3})+$)/g, ',')
}

/**
 * Formats a price in dollars, such as '$9.50'. Whole dollars are shown without cents, such as '$8'.
 * @param price in dollars, as a number or as stored text.
 */
export function priceText(price: number | string): string {
  return `$${amountText(price)}`
}

/** Formats a price without the dollar sign for input fields, such as '8' or '9.50'. */
export function amountText(price: number | string): string {
  const dollars = Number(price)
  return Number.isInteger(dollars) ? String(dollars) : dollars.toFixed(2)
}

/**
 * Lists alternatives, such as '3, 5 or 7'. Unlike `Intl.ListFormat`, it needs no locale data, which
 * would add 12 ms to startup and 6 MiB of memory.
 */
export function joinWithOr(choices: readonly (string | number)[]): string {
  const allButLast = choices.slice(0, -1).join(', ')
  const lastChoice = String(choices.at(-1) ?? '')
  return allButLast === '' ? lastChoice : `${allButLast} or ${lastChoice}`
}

/**
 * Formats a duration in minutes, hours or, from two days on, days. Examples: '10 minutes', '24
 * hours', '14 days'.
 * @param ms must be a multiple of the unit in the text.
 */
export function durationText(ms: number): string {
  if (ms >= 2 * dayInMs) return formatCount(ms / dayInMs, 'day')
  if (ms >= hourInMs) return formatCount(ms / hourInMs, 'hour')
  return formatCount(ms / minuteInMs, 'minute')
}
