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
