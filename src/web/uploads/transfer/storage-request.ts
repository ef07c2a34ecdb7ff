/** Spec §9: the upload time-out is 10 minutes. It applies to one request. */
export const requestTimeoutMs = 10 * 60_000
/** The time limit of a request that carries no bytes of a file. */
export const callTimeoutMs = 30_000

/** One HTTP request to the address that receives the bytes of a file. */
export interface StorageRequest {
  method: 'PUT' | 'HEAD'
  url: string
  headers: Record<string, string>
  /**
   * Null for HEAD. The body is a blob, because the browser reads a blob in the background while it
   * sends. The page would have to copy any other body in memory first.
   */
  body: Blob | null
  timeoutMs: number
  /**
   * If no byte of the body is sent for this long, the request ends as `stalled`. After the last
   * byte, the answer may take four times as long: the operating system still has bytes to send, and
   * storage has work to do.
   */
  stallMs?: number
  signal: AbortSignal
  /** Called from time to time with the number of bytes of this body that were sent. */
  onSent?: (bytes: number) => void
}

/**
 * How a request to storage ended. A number from a header is null when the header is absent or not a
 * whole number.
 */
export type StorageAnswer =
  | {
      kind: 'answer'
      status: number
      /**
       * The code of an error of our server or a bucket. It comes from the body, or from a header of
       * an answer without a body. null where there is none.
       */
      code: string | null
      uploadOffset: number | null
      retryAfterMs: number | null
    }
  | {
      kind: 'network' | 'timeout' | 'stalled'
      status?: undefined
      code?: undefined
      uploadOffset?: undefined
      retryAfterMs?: undefined
    }

/** After the last byte of the body, the answer may take this many times `stallMs`. */
const answerPatience = 4

/**
 * Sends a request. It rejects only with the reason of its signal. Every other end, a lost
 * connection too, is an answer.
 */
export type Send = (request: StorageRequest) => Promise<StorageAnswer>

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
 * Returns the answer's headers that the browser shows to this page. Asking for a hidden header by
 * name would write an error to the console; the answer of a bucket may have hidden headers.
 */
function shownHeaders(xhr: XMLHttpRequest): Headers {
  const lines = xhr.getAllResponseHeaders().trim().split(/\r?\n/)
  const pairs = lines.map((line) => line.split(/: ?(.*)/s).slice(0, 2) as [string, string])
  return new Headers(pairs.filter(([name]) => name !== ''))
}

/**
 * Implements `Send` by XMLHttpRequest, because `fetch` does not report how much of a body was sent.
 * No cookies go to another origin, because the signature in the URL gives the right to send.
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
        code:
          xhr.status >= 400 ? (errorCode(xhr.responseText) ?? answered.get('X-Error-Code')) : null,
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
