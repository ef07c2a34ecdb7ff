import type { IncomingHttpHeaders } from 'node:http'

/** A part of a file: both offsets in bytes from 0, both included. */
export interface ByteRange {
  start: number
  end: number
}

/** What the bytes of a file are known by: neither ever changes under one URL. */
export interface Validators {
  /** A strong entity tag, with its quotes. */
  etag: string
  lastModified: Date
}

/**
 * Which part of `size` bytes a Range header asks for (RFC 9110 §14). `whole` when there is none,
 * when it is malformed, when it asks for several parts (the RFC leaves that to the server), and
 * for an empty file, of which no part can be named.
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
 * What the conditions of a GET or HEAD lead to, in RFC 9110 §13.2.2's order: `failed` is 412,
 * `unmodified` 304; If-Range decides between `whole` and `range`, where a Range may count.
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
    // The comparison is the weak one here: a proxy may have weakened our tag on its way.
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

/** Milliseconds since 1970; NaN, which compares as neither before nor after, when it is no date. */
function httpDate(text: string | undefined): number {
  return text === undefined ? Number.NaN : Date.parse(text)
}

/** HTTP dates know no milliseconds. */
function wholeSeconds(date: Date): number {
  return Math.floor(date.getTime() / 1000) * 1000
}
