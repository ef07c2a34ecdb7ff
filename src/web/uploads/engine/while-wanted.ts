/**
 * Makes a function that begins something when it is first wanted, and ends it when it is no longer
 * wanted.
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
