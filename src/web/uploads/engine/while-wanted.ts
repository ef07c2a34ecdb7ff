/**
 * Makes a function that takes whether something is wanted. It calls `begin` when that becomes true.
 * When that becomes false, it calls the function that `begin` returned.
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
