/** No act is older. While a year is being typed, the field already has one such as 0002. */
const firstYear = 1970

/**
 * Returns when a day begins, in the time zone of the browser.
 * @param day such as '2026-11-19'.
 * @returns null for an empty text, and for a year that is still being typed.
 */
export function startOfLocalDay(day: string): Date | null {
  const start = new Date(`${day}T00:00`)
  return start.getFullYear() >= firstYear ? start : null
}

/**
 * Returns when a day is over: when the next one begins.
 * @returns null where `startOfLocalDay` returns null.
 */
export function endOfLocalDay(day: string): Date | null {
  const end = startOfLocalDay(day)
  end?.setDate(end.getDate() + 1)
  return end
}
