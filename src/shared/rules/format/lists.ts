/**
 * Returns the choices in words: '3, 5 or 7'. `Intl.ListFormat` would return the same, but loading
 * its data costs 12 ms of a start and 6 MiB of memory.
 */
export function anyOf(choices: readonly (string | number)[]): string {
  const others = choices.slice(0, -1).join(', ')
  const last = String(choices.at(-1) ?? '')
  return others === '' ? last : `${others} or ${last}`
}
