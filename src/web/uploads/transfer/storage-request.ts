import type { BodyChecksum } from '../../../shared/rules/body-checksum.ts'

/** Spec §9: the upload time-out is 10 minutes; it holds for one request. */
export const requestTimeoutMs = 10 * 60_000
/** A request without a body of bytes is answered within this time, or nobody is there. */
export const callTimeoutMs = 30_000

/** One HTTP request to the address that takes the bytes. */
export interface StorageRequest {
  method: 'PUT' | 'HEAD'
  url: string
  headers: Record<string, string>
  /**
   * Null for HEAD. A blob, since the browser reads a file by itself while it sends. Bytes in memory it
   * copies on the page's own thread, at a tenth of the speed.
   */
  body: Blob | null
  timeoutMs: number
  /**
   * A request of whose body nothing leaves for this long is ended as stalled. Once all of it has left,
   * the answer may take four times as long: the system still sends what it took, and storage works.
   */
  stallMs?: number
  signal: AbortSignal
  /** Called now and then with the number of bytes of this body that have left. */
  onSent?: (bytes: number) => void
}

/** How a request to storage ended. Header values are null when absent or not a whole number. */
export type StorageAnswer =
  | {
      kind: 'answer'
      status: number
      /** What the body of an error calls it, ours or a bucket's; null where it names nothing. */
      code: string | null
      uploadOffset: number | null
      retryAfterMs: number | null
    }
  | { kind: 'network' }
  | { kind: 'timeout' }
  | { kind: 'stalled' }

/** How much longer than a stall the answer may take once the whole body has left. */
const answerPatience = 4

/** Sends a request. Rejects only with the reason of its signal; every other end is an answer. */
export type Send = (request: StorageRequest) => Promise<StorageAnswer>

/**
 * The header by which storage compares a body with what was sent.
 * @param checksum null where this browser cannot compute it; then there is no header.
 */
export function checksumHeader(
  kind: BodyChecksum,
  checksum: string | null,
): Record<string, string> {
  if (checksum === null) return {}
  return kind === 'crc32' ? { 'x-amz-checksum-crc32': checksum } : { 'Content-MD5': checksum }
}

/** Reads a header that must be a whole number that is not negative; anything else is null. */
export function wholeNumber(value: string | null | undefined): number | null {
  const text = value?.trim() ?? ''
  if (!/^\d+$/.test(text)) return null
  const number = Number(text)
  return Number.isSafeInteger(number) ? number : null
}

/** The code of an error body: JSON as our server writes it, XML as a bucket does; null for others. */
export function errorCode(body: string): string | null {
  return /"code"\s*:\s*"(\w+)"/.exec(body)?.[1] ?? /<Code>(\w+)<\/Code>/.exec(body)?.[1] ?? null
}

/**
 * The headers that this page may read. Asking by name for another one, as a bucket's answer has them,
 * writes an error to the console.
 */
function shownHeaders(xhr: XMLHttpRequest): Headers {
  const lines = xhr.getAllResponseHeaders().trim().split(/\r?\n/)
  const pairs = lines.map((line) => line.split(/: ?(.*)/s).slice(0, 2) as [string, string])
  return new Headers(pairs.filter(([name]) => name !== ''))
}

/**
 * `Send` by XMLHttpRequest, by which alone a browser tells how much of a body has left. No cookies go
 * along to another origin: the signature in the URL is the right to send.
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
