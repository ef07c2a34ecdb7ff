import type { IncomingHttpHeaders } from 'node:http'

/**
 * A part of a file, from byte `start` to byte `end`. Both count from 0, and both bytes are
 * included.
 */
export interface ByteRange {
  start: number
  end: number
}

/**
 * What identifies the bytes of a file, for conditional requests. The bytes never change under one
 * URL.
 */
export interface Validators {
  /** A strong entity tag, with its quotes. */
  etag: string
  lastModified: Date
}

/**
 * Returns which of `size` bytes a Range header asks for (RFC 9110 §14). Returns `whole` when the
 * header is absent or malformed, or asks for several ranges: the RFC lets the server ignore those.
 * An empty file has no byte to ask for, so the answer is always `whole`.
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
 * Evaluates the conditional headers of a GET or HEAD, in the order of RFC 9110 §13.2.2. `failed`
 * means the answer 412, `unmodified` means 304. `whole` and `range` say whether If-Range allows a
 * Range header to be followed.
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
    // The tags are compared without `W/`, because a proxy may have added that to ours.
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
