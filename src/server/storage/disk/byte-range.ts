import type { IncomingHttpHeaders } from 'node:http'

/**
 * A part of a file, from byte `start` to byte `end`. Both count from 0, and both bytes are
 * included.
 */
export interface ByteRange {
  start: number
  end: number
}

/** The values that identify the bytes of a file. They never change under one URL. */
export interface Validators {
  /** A strong entity tag, with its quotes. */
  etag: string
  lastModified: Date
}

/**
 * Returns the part of `size` bytes that a Range header asks for (RFC 9110 §14). It returns `whole`
 * when the header is absent or malformed, or asks for several parts, because the RFC leaves these
 * to the server. An empty file has no part to name, so it is always `whole`.
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
 * Evaluates the conditions of a GET or HEAD, in the order of RFC 9110 §13.2.2. `failed` means 412,
 * `unmodified` means 304. If-Range decides between `whole` and `range`; only with `range` may a
 * Range header count.
 */
export function evaluateConditions(
  headers: IncomingHttpHeaders,
  validators: Validators,
): 'failed' | 'unmodified' | 'whole' | 'range' {
  const modified = wholeSeconds(validators.lastModified)
  const ifMatch = headers['if-match']
  if (ifMatch !== undefined) {
    if (!namesStrongly(ifMatch, validators.etag)) return 'failed'
  } else if (modified > httpDate(headers['if-unmodified-since'])) {
    return 'failed'
  }
  const ifNoneMatch = headers['if-none-match']
  if (ifNoneMatch !== undefined) {
    // The comparison is weak, because a proxy may have weakened our tag.
    if (namesStrongly(ifNoneMatch.replaceAll('W/"', '"'), validators.etag)) return 'unmodified'
  } else if (modified <= httpDate(headers['if-modified-since'])) {
    return 'unmodified'
  }
  const ifRange = headers['if-range']
  if (ifRange === undefined) return 'range'
  const same = ifRange === validators.etag || httpDate(ifRange.toString()) === modified
  return same ? 'range' : 'whole'
}

function namesStrongly(list: string, etag: string): boolean {
  if (list.trim() === '*') return true
  return list.match(/(?:W\/)?"[^"]*"/g)?.includes(etag) ?? false
}

/**
 * Returns milliseconds since 1970, or NaN for text that is no date. NaN compares as neither earlier
 * nor later.
 */
function httpDate(text: string | undefined): number {
  return text === undefined ? Number.NaN : Date.parse(text)
}

/** Cuts a date to whole seconds, because HTTP dates have no milliseconds. */
function wholeSeconds(date: Date): number {
  return Math.floor(date.getTime() / 1000) * 1000
}
