import { shortCodeAlphabet, shortCodeLength } from './short-code.ts'

const code = `([${shortCodeAlphabet}]{${shortCodeLength}})`
const bare = new RegExp(`^${code}$`)
/** The paths that name a link: its page, its older path, and the calls about it. */
const inPath = new RegExp(`/(?:s|download|api/links)/${code}(?![A-Za-z0-9])`)

/**
 * Returns the short code in a text that somebody typed or pasted. The text is the code itself, or
 * it contains the address of a link. Returns null if it contains no code. It does not check whether
 * a file has this code.
 */
export function linkCode(typed: string): string | null {
  const text = typed.trim()
  return (bare.exec(text) ?? inPath.exec(text))?.[1] ?? null
}
