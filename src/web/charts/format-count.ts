const shortFormat = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 })

/** Formats a count compactly, as in '12.4K'. Counts below 1,000 are not shortened. */
export function formatShortCount(count: number): string {
  return shortFormat.format(count)
}
