/** Makes the function that has something done from when it is first wanted until it is not any more. */
export const whileWanted = (begin: () => () => void): ((isWanted: boolean) => void) => {
  let end: (() => void) | null = null
  return (isWanted) => {
    if (isWanted) end ??= begin()
    else {
      end?.()
      end = null
    }
  }
}
