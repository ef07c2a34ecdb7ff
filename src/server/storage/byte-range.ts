import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'

/** A byte range, zero-based and inclusive at both ends. */
export interface ByteRange {
  start: number
  end: number
}

/** Validators for conditional requests. */
export interface Validators {
  /** A strong entity tag, including the quotes. */
  etag: string
  /** Null if the bytes may have changed later: deleting a file changes an archive. */
  lastModified: Date | null
}

/** Headers that make the response depend on the validators. */
const conditionalHeaders = [
  'if-match',
  'if-none-match',
  'if-modified-since',
  'if-unmodified-since',
  'if-range',
] as const

/**
 * Parses a Range header (RFC 9110 §14) for a file of `size` bytes. Returns `whole` if the header is
 * absent, or if it is malformed or lists several ranges, which the RFC allows a server to ignore.
 * Always returns `whole` for an empty file.
 */
export function selectRange(
  header: string | undefined,
  size: number,
): ByteRange | 'whole' | 'unsatisfiable' {
  const match = /^bytes=[\t ]*(\d*)-(\d*)[\t ]*$/i.exec(header ?? '')
  if (!match || size === 0) return 'whole'
  const [first, last] = [match[1] ?? '', match[2] ?? '']
  if (first === '' && last === '') return 'whole'
  if (first === '') {
    const length = Number(last)
    return length === 0 ? 'unsatisfiable' : { start: Math.max(0, size - length), end: size - 1 }
  }
  const start = Number(first)
  const end = last === '' ? size - 1 : Math.min(Number(last), size - 1)
  if (last !== '' && Number(last) < start) return 'whole'
  return start >= size ? 'unsatisfiable' : { start, end }
}

/**
 * Evaluates the conditional headers of a GET or HEAD in the order of RFC 9110 §13.2.2. `failed`
 * means status 412, and `unmodified` means 304. `range` means that a Range header may be honored,
 * and `whole` that If-Range rules it out.
 */
export function evaluateConditions(
  headers: IncomingHttpHeaders,
  validators: Validators,
): 'failed' | 'unmodified' | 'whole' | 'range' {
  const lastModified = truncateToSeconds(validators.lastModified)
  const ifMatch = headers['if-match']
  if (ifMatch !== undefined) {
    if (!matchesStrongly(ifMatch, validators.etag)) return 'failed'
  } else if (lastModified > parseHttpDate(headers['if-unmodified-since'])) {
    return 'failed'
  }
  const ifNoneMatch = headers['if-none-match']
  if (ifNoneMatch !== undefined) {
    // Weak comparison: a proxy may have added `W/` to our entity tag.
    if (matchesStrongly(ifNoneMatch.replaceAll('W/"', '"'), validators.etag)) return 'unmodified'
  } else if (lastModified <= parseHttpDate(headers['if-modified-since'])) {
    return 'unmodified'
  }
  const ifRange = headers['if-range']
  if (ifRange === undefined) return 'range'
  const isUnchanged =
    ifRange === validators.etag || parseHttpDate(ifRange.toString()) === lastModified
  return isUnchanged ? 'range' : 'whole'
}

/**
 * Predicts the offset of the first byte that S3 or nginx will send in a response. Follows the same
 * rules as our own responses (RFC 9110 §13.2.2 and §14.2). Returns null if the response won't
 * contain any of the file's bytes.
 * @param size in bytes.
 * @param readValidators returns the other server's validators, or null if it doesn't have the
 * object. Called only for conditional requests.
 */
export async function expectedStart(
  { method, headers }: Pick<IncomingMessage, 'method' | 'headers'>,
  size: number,
  readValidators: () => Promise<Validators | null>,
): Promise<number | null> {
  if (method !== 'GET') return null
  const isConditional = conditionalHeaders.some((name) => headers[name] !== undefined)
  const validators = isConditional ? await readValidators() : null
  if (isConditional && validators === null) return null
  const outcome = validators ? evaluateConditions(headers, validators) : 'range'
  if (outcome === 'failed' || outcome === 'unmodified') return null
  const range = outcome === 'range' ? selectRange(headers.range, size) : 'whole'
  if (range === 'unsatisfiable') return null
  return range === 'whole' ? 0 : range.start
}

function matchesStrongly(list: string, etag: string): boolean {
  if (list.trim() === '*') return true
  return list.match(/(?:W\/)?"[^"]*"/g)?.includes(etag) ?? false
}

/**
 * Returns milliseconds since 1970, or NaN for an invalid date. Comparisons with NaN are always
 * false.
 */
function parseHttpDate(text: string | undefined): number {
  return text === undefined ? Number.NaN : Date.parse(text)
}

/** HTTP dates have no milliseconds. Returns NaN for null. */
function truncateToSeconds(date: Date | null): number {
  return date ? Math.floor(date.getTime() / 1000) * 1000 : Number.NaN
}
