import { shortCodeAlphabet, shortCodeLength } from './short-code.ts'

const code = `([${shortCodeAlphabet}]{${shortCodeLength}})`
const bare = new RegExp(`^${code}$`)
/** The paths that name a link: its page, its older path, and the calls about it. */
const inPath = new RegExp(`/(?:s|download|api/links)/${code}(?![A-Za-z0-9])`)

/**
 * Returns the short code in what somebody typed or pasted: a code alone, or the address of a link,
 * also with what stands before or after it in a mail. Null if there is none. It does not tell whether
 * a file has this code.
 */
export function linkCode(typed: string): string | null {
  const text = typed.trim()
  return (bare.exec(text) ?? inPath.exec(text))?.[1] ?? null
}
