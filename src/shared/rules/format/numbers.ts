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
