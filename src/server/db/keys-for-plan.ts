/** For a list of fewer keys, Postgres would make a new plan each time. */
const fewestKeys = 16

/**
 * Returns the keys for `= any(…)` in a prepared statement. A short list is filled up with its first
 * key, which does not change the result: then Postgres keeps one plan, and making a new one takes
 * longer than such a query itself.
 */
export function keysForPlan(keys: readonly string[]): string[] {
  const [first] = keys
  if (first === undefined) return []
  const missing = Math.max(0, fewestKeys - keys.length)
  return [...keys, ...Array.from({ length: missing }, () => first)]
}
