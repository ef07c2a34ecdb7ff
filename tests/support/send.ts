import type { EventEmitter } from 'node:events'
import { type IncomingHttpHeaders, type OutgoingHttpHeaders, request } from 'node:http'

export interface HttpResponse {
  status: number
  headers: IncomingHttpHeaders
  body: Buffer
}

export interface SendOptions {
  method?: string
  headers?: OutgoingHttpHeaders
  /** A path to send exactly as written. A path in the URL would be normalized. */
  path?: string
  /** Sent with a Content-Length header unless `headers` say otherwise. */
  body?: Buffer | string
}

/**
 * Sends an HTTP request, which may have headers that `fetch` forbids. Resolves with the response,
 * even one that arrives before the request is complete.
 */
export function send(url: string, { method = 'GET', headers = {}, path, body }: SendOptions = {}) {
  return new Promise<HttpResponse>((resolve, reject) => {
    const options = { method, headers, agent: false, ...(path !== undefined && { path }) }
    const client = request(url, options, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () => {
        const { statusCode = 0, headers: responseHeaders } = response
        resolve({ status: statusCode, headers: responseHeaders, body: Buffer.concat(chunks) })
        client.destroy()
      })
    })
    client.on('error', reject)
    client.end(body)
  })
}

export function errorCodeOf(response: HttpResponse): unknown {
  return JSON.parse(response.body.toString()).code
}

export function statusAndErrorCode(response: HttpResponse): [number, unknown] {
  return [response.status, errorCodeOf(response)]
}

/**
 * Resolves when a connection, request or response is closed. Unlike `once`, this doesn't reject on
 * errors, because tests break these connections on purpose.
 */
export function waitForClose(connection: EventEmitter & { closed: boolean }): Promise<void> {
  return connection.closed
    ? Promise.resolve()
    : new Promise((resolve) => connection.once('close', () => resolve()))
}

/** Returns a URL's path and query, as in a request line. */
export function requestTarget(url: string): string {
  return url.slice(new URL(url).origin.length)
}
