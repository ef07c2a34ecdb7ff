import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'

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

/** With one of these headers, the answer depends on the validators of the stored bytes. */
const conditionalHeaders = [
  'if-match',
  'if-none-match',
  'if-modified-since',
  'if-unmodified-since',
  'if-range',
] as const

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

/**
 * Predicts at which offset of a file the answer to a download will begin. It is needed where
 * another server sends the bytes: the object storage, or nginx. It applies the rules by which this
 * server itself answers (RFC 9110 §13.2.2 and §14.2). Returns null if the answer will have no bytes
 * of the file.
 * @param size in bytes.
 * @param validators returns by what the other server identifies the bytes; null if it has none. It
 * is called only for a conditional request.
 */
export async function expectedStart(
  { method, headers }: Pick<IncomingMessage, 'method' | 'headers'>,
  size: number,
  validators: () => Promise<Validators | null>,
): Promise<number | null> {
  if (method !== 'GET') return null
  const isConditional = conditionalHeaders.some((name) => headers[name] !== undefined)
  const known = isConditional ? await validators() : null
  if (isConditional && known === null) return null
  const outcome = known ? evaluateConditions(headers, known) : 'range'
  if (outcome === 'failed' || outcome === 'unmodified') return null
  const range = outcome === 'range' ? selectRange(headers.range, size) : 'whole'
  if (range === 'unsatisfiable') return null
  return range === 'whole' ? 0 : range.start
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
