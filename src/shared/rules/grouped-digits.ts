/**
 * Returns a whole number with its digits in groups: 12345 becomes '12,345'. `toLocaleString('en')`
 * would return the same, but loading its data costs 3 ms of a start and 3 MiB of memory.
 */
export function groupedDigits(number: number): string {
  return String(number).replace(/\B(?=(\d{3})+$)/g, ',')
}
