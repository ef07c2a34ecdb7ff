import { shortName } from '../ui/split-name.ts'

/** `notFoundText` names at most this many files, and shortens each name to this many characters. */
const mostNamed = 3
const longestName = 40

const list = new Intl.ListFormat('en-GB')

/** Says how many files were deleted: '1,088 files deleted'. */
export function deletedText(count: number): string {
  return `${count.toLocaleString('en')} ${count === 1 ? 'file' : 'files'} deleted`
}

/**
 * Says how many files had already been deleted, and names the first of them. Returns undefined if
 * `names` is empty.
 */
export function notFoundText(names: readonly string[]): string | undefined {
  if (names.length === 0) return undefined
  const named = names.slice(0, mostNamed).map((name) => `“${shortName(name, longestName)}”`)
  const others = names.length - named.length
  const more = others > 0 ? [`${others.toLocaleString('en')} more`] : []
  const count = names.length.toLocaleString('en')
  return `${count} had been deleted before: ${list.format([...named, ...more])}.`
}
