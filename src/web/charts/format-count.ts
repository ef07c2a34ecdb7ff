const whole = new Intl.NumberFormat('en')
const short = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 })

/** Writes a count as people read it: '12,400'. */
export function formatCount(count: number): string {
  return whole.format(count)
}

/** Writes a count where there is little room: '12.4K'. A count below 1,000 is not shortened. */
export function formatShortCount(count: number): string {
  return short.format(count)
}
