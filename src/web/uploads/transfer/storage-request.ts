import type { BodyChecksum } from '../../../shared/rules/body-checksum.ts'

/** Spec §9: the upload time-out is 10 minutes. It applies to one request. */
export const requestTimeoutMs = 10 * 60_000
/** The time limit of a request without a body of bytes. */
export const callTimeoutMs = 30_000

/** One HTTP request to the address that receives the bytes. */
export interface StorageRequest {
  method: 'PUT' | 'HEAD'
  url: string
  headers: Record<string, string>
  /**
   * Null for HEAD. A browser reads a blob itself while it sends. It would copy bytes in memory on
   * the page's own thread, at a tenth of the speed.
   */
  body: Blob | null
  timeoutMs: number
  /**
   * If no byte of the body is sent for this long, the request ends as stalled. After the last byte,
   * the answer may take four times as long: the system still has bytes to send, and storage has
   * work to do.
   */
  stallMs?: number
  signal: AbortSignal
  /** Called from time to time with the number of bytes of this body that were sent. */
  onSent?: (bytes: number) => void
}

/** How a request to storage ended. A header value is null when absent or not a whole number. */
export type StorageAnswer =
  | {
      kind: 'answer'
      status: number
      /** The code in an error body, of our server or a bucket; null where the body has none. */
      code: string | null
      uploadOffset: number | null
      retryAfterMs: number | null
    }
  | { kind: 'network' }
  | { kind: 'timeout' }
  | { kind: 'stalled' }

/** After the last byte of the body, the answer may take this many times the stall limit. */
const answerPatience = 4

/** Sends a request. Rejects only with the reason of its signal. Every other end is an answer. */
export type Send = (request: StorageRequest) => Promise<StorageAnswer>

/**
 * Returns the header with which storage checks the body.
 * @param checksum null where this browser cannot compute it; then there is no header.
 */
export function checksumHeader(
  kind: BodyChecksum,
  checksum: string | null,
): Record<string, string> {
  if (checksum === null) return {}
  return kind === 'crc32' ? { 'x-amz-checksum-crc32': checksum } : { 'Content-MD5': checksum }
}

/** Reads a header as a whole number of 0 or more. Any other value gives null. */
export function wholeNumber(value: string | null | undefined): number | null {
  const text = value?.trim() ?? ''
  if (!/^\d+$/.test(text)) return null
  const number = Number(text)
  return Number.isSafeInteger(number) ? number : null
}

/**
 * Returns the code of an error body: JSON from our server, XML from a bucket; null for any other
 * body.
 */
export function errorCode(body: string): string | null {
  return /"code"\s*:\s*"(\w+)"/.exec(body)?.[1] ?? /<Code>(\w+)<\/Code>/.exec(body)?.[1] ?? null
}

/**
 * Returns the headers that this page may read. Asking for any other header by name, which a
 * bucket's answer may have, would write an error to the console.
 */
function shownHeaders(xhr: XMLHttpRequest): Headers {
  const lines = xhr.getAllResponseHeaders().trim().split(/\r?\n/)
  const pairs = lines.map((line) => line.split(/: ?(.*)/s).slice(0, 2) as [string, string])
  return new Headers(pairs.filter(([name]) => name !== ''))
}

/**
 * Implements `Send` by XMLHttpRequest, because browsers report how much of a body was sent only
 * there. No cookies go to another origin: the signature in the URL is the right to send.
 */
export function sendByXhr(request: StorageRequest): Promise<StorageAnswer> {
  const { method, url, headers, body, timeoutMs, stallMs, signal, onSent } = request
  return new Promise((resolve, reject) => {
    if (signal.aborted) {
      reject(signal.reason)
      return
    }
    const xhr = new XMLHttpRequest()
    let stallTimer: ReturnType<typeof setTimeout> | undefined
    const stop = () => {
      clearTimeout(stallTimer)
      signal.removeEventListener('abort', abort)
    }
    const end = (answer: StorageAnswer) => {
      stop()
      resolve(answer)
    }
    const abort = () => {
      stop()
      reject(signal.reason)
      xhr.abort()
    }
    const expectMoreWithin = (ms: number | undefined) => {
      clearTimeout(stallTimer)
      if (ms === undefined) return
      stallTimer = setTimeout(() => {
        end({ kind: 'stalled' })
        xhr.abort()
      }, ms)
    }
    xhr.open(method, url)
    xhr.timeout = timeoutMs
    for (const [name, value] of Object.entries(headers)) xhr.setRequestHeader(name, value)
    if (body !== null) {
      xhr.upload.addEventListener('progress', ({ loaded }) => {
        expectMoreWithin(stallMs)
        onSent?.(loaded)
      })
      xhr.upload.addEventListener('load', () =>
        expectMoreWithin(stallMs === undefined ? stallMs : stallMs * answerPatience),
      )
    }
    xhr.addEventListener('load', () => {
      const answered = shownHeaders(xhr)
      const retryAfter = wholeNumber(answered.get('Retry-After'))
      end({
        kind: 'answer',
        status: xhr.status,
        code: xhr.status >= 400 ? errorCode(xhr.responseText) : null,
        uploadOffset: wholeNumber(answered.get('Upload-Offset')),
        retryAfterMs: retryAfter === null ? null : retryAfter * 1000,
      })
    })
    xhr.addEventListener('error', () => end({ kind: 'network' }))
    xhr.addEventListener('timeout', () => end({ kind: 'timeout' }))
    signal.addEventListener('abort', abort)
    if (body !== null) expectMoreWithin(stallMs)
    xhr.send(body)
  })
}
