/** Spec §9: the upload timeout is 10 minutes. It applies to each request separately. */
export const requestTimeoutMs = 10 * 60_000
/** The timeout for a request that carries no file bytes. */
export const callTimeoutMs = 30_000

/** An HTTP request to the URL that receives the file's bytes. */
export interface StorageRequest {
  method: 'PUT' | 'HEAD'
  url: string
  headers: Record<string, string>
  /**
   * Null for HEAD. Must be a Blob, because the browser reads it while sending. Any other body would
   * have to be copied into memory first.
   */
  body: Blob | null
  timeoutMs: number
  /**
   * If no byte of the body is sent for this long, the request ends as `stalled`. After the last
   * byte, the response may take four times as long, because the operating system still has bytes to
   * send, and storage has work to do.
   */
  stallMs?: number
  signal: AbortSignal
  /** Called periodically with the number of this body's bytes that have been sent. */
  onSent?: (bytes: number) => void
}

/** The outcome of a request to storage. Header values are null if absent or not an integer. */
export type StorageResponse =
  | {
      kind: 'response'
      status: number
      /**
       * The error code sent by our server or a bucket, in the body or, if there is no body, in a
       * header. Null if there is none.
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

/** How long the response may take after the body's last byte, as a multiple of `stallMs`. */
export const responseStallFactor = 4

/**
 * Sends a request. Rejects only with the signal's reason. Any other outcome, including a lost
 * connection, is returned.
 */
export type Send = (request: StorageRequest) => Promise<StorageResponse>

/** Parses a header as a non-negative integer. Returns null for any other value. */
export function parseWholeNumber(value: string | null | undefined): number | null {
  const text = value?.trim() ?? ''
  if (!/^\d+$/.test(text)) return null
  const number = Number(text)
  return Number.isSafeInteger(number) ? number : null
}

/**
 * Returns the code from an error body: JSON from our server or XML from a bucket. Null for any
 * other body.
 */
export function parseErrorCode(body: string): string | null {
  return /"code"\s*:\s*"(\w+)"/.exec(body)?.[1] ?? /<Code>(\w+)<\/Code>/.exec(body)?.[1] ?? null
}

/**
 * Returns the response headers that this page may access. Requesting any other header by name would
 * log an error to the console, and bucket responses may have some.
 */
function getAccessibleHeaders(xhr: XMLHttpRequest): Headers {
  const lines = xhr.getAllResponseHeaders().trim().split(/\r?\n/)
  const headerPairs = lines.map((line) => line.split(/: ?(.*)/s).slice(0, 2) as [string, string])
  return new Headers(headerPairs.filter(([name]) => name !== ''))
}

/**
 * Implements `Send` with XMLHttpRequest, because `fetch` doesn't report upload progress. Sends no
 * cookies to other origins, because the signature in the URL authorizes the request.
 */
export function sendByXhr(request: StorageRequest): Promise<StorageResponse> {
  const { method, url, headers, body, timeoutMs, stallMs, signal, onSent } = request
  return new Promise((resolve, reject) => {
    signal.throwIfAborted()
    const xhr = new XMLHttpRequest()
    let stallTimer: ReturnType<typeof setTimeout> | undefined
    const cleanUp = () => {
      clearTimeout(stallTimer)
      signal.removeEventListener('abort', abort)
    }
    const finish = (response: StorageResponse) => {
      cleanUp()
      resolve(response)
    }
    const abort = () => {
      cleanUp()
      reject(signal.reason)
      xhr.abort()
    }
    const restartStallTimer = (ms: number | undefined) => {
      clearTimeout(stallTimer)
      if (ms === undefined) return
      stallTimer = setTimeout(() => {
        finish({ kind: 'stalled' })
        xhr.abort()
      }, ms)
    }
    xhr.open(method, url)
    xhr.timeout = timeoutMs
    for (const [name, value] of Object.entries(headers)) xhr.setRequestHeader(name, value)
    if (body !== null) {
      xhr.upload.addEventListener('progress', ({ loaded }) => {
        restartStallTimer(stallMs)
        onSent?.(loaded)
      })
      xhr.upload.addEventListener('load', () =>
        restartStallTimer(stallMs === undefined ? stallMs : stallMs * responseStallFactor),
      )
    }
    xhr.addEventListener('load', () => {
      const { status, responseText } = xhr
      const responseHeaders = getAccessibleHeaders(xhr)
      const retryAfterSeconds = parseWholeNumber(responseHeaders.get('Retry-After'))
      finish({
        kind: 'response',
        status,
        code:
          status >= 400
            ? (parseErrorCode(responseText) ?? responseHeaders.get('X-Error-Code'))
            : null,
        uploadOffset: parseWholeNumber(responseHeaders.get('Upload-Offset')),
        retryAfterMs: retryAfterSeconds === null ? null : retryAfterSeconds * 1000,
      })
    })
    xhr.addEventListener('error', () => finish({ kind: 'network' }))
    xhr.addEventListener('timeout', () => finish({ kind: 'timeout' }))
    signal.addEventListener('abort', abort)
    if (body !== null) restartStallTimer(stallMs)
    xhr.send(body)
  })
}
