/**
 * Returns a function. Call it with true while something is wanted, and with false when it is not.
 * At the first true, that function calls `begin`. At the next false, it calls what `begin`
 * returned.
 */
export function whileWanted(begin: () => () => void): (isWanted: boolean) => void {
  let end: (() => void) | null = null
  return (isWanted) => {
    if (isWanted) end ??= begin()
    else {
      end?.()
      end = null
    }
  }
}
