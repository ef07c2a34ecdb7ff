/** One HTTP request to the address that takes the bytes. */
export interface StorageRequest {
  method: 'PUT' | 'HEAD'
  url: string
  headers: Record<string, string>
  /** Null for HEAD. */
  body: Blob | null
  timeoutMs: number
  signal: AbortSignal
  /** Told now and then how many bytes of this body have left. */
  onSent?: (bytes: number) => void
}

/** How a request to storage ended. Header values are null when absent or not a whole number. */
export type StorageAnswer =
  | { kind: 'answer'; status: number; uploadOffset: number | null; retryAfterMs: number | null }
  | { kind: 'network' }
  | { kind: 'timeout' }

/** Sends a request. Rejects only with the reason of its signal; every other end is an answer. */
export type Send = (request: StorageRequest) => Promise<StorageAnswer>

/** Reads a header that must be a whole number that is not negative; anything else is null. */
export const wholeNumber = (value: string | null | undefined): number | null => {
  const text = value?.trim() ?? ''
  if (!/^\d+$/.test(text)) return null
  const number = Number(text)
  return Number.isSafeInteger(number) ? number : null
}

/**
 * The headers that this page may read. To ask for another one by its name, as a bucket's answer has
 * them, is an error on the console.
 */
const shownHeaders = (xhr: XMLHttpRequest): Headers => {
  const lines = xhr.getAllResponseHeaders().trim().split(/\r?\n/)
  const pairs = lines.map((line) => line.split(/: ?(.*)/s).slice(0, 2) as [string, string])
  return new Headers(pairs.filter(([name]) => name !== ''))
}

/**
 * `Send` by XMLHttpRequest: the one way a browser tells how much of a body has left. No cookies go
 * along to another origin; the signature in the URL is all the right that it needs.
 */
export const sendByXhr: Send = ({ method, url, headers, body, timeoutMs, signal, onSent }) =>
  new Promise((resolve, reject) => {
    if (signal.aborted) {
      reject(signal.reason)
      return
    }
    const xhr = new XMLHttpRequest()
    const abort = () => xhr.abort()
    const end = (answer: StorageAnswer) => {
      signal.removeEventListener('abort', abort)
      resolve(answer)
    }
    xhr.open(method, url)
    xhr.timeout = timeoutMs
    for (const [name, value] of Object.entries(headers)) xhr.setRequestHeader(name, value)
    if (onSent) xhr.upload.addEventListener('progress', (event) => onSent(event.loaded))
    xhr.addEventListener('load', () => {
      const answered = shownHeaders(xhr)
      const retryAfter = wholeNumber(answered.get('Retry-After'))
      end({
        kind: 'answer',
        status: xhr.status,
        uploadOffset: wholeNumber(answered.get('Upload-Offset')),
        retryAfterMs: retryAfter === null ? null : retryAfter * 1000,
      })
    })
    xhr.addEventListener('error', () => end({ kind: 'network' }))
    xhr.addEventListener('timeout', () => end({ kind: 'timeout' }))
    xhr.addEventListener('abort', () => {
      signal.removeEventListener('abort', abort)
      reject(signal.reason)
    })
    signal.addEventListener('abort', abort)
    xhr.send(body)
  })
