import type { EventEmitter } from 'node:events'
import { type IncomingHttpHeaders, type OutgoingHttpHeaders, request } from 'node:http'

export interface Answer {
  status: number
  headers: IncomingHttpHeaders
  body: Buffer
}

export interface Sending {
  method?: string
  headers?: OutgoingHttpHeaders
  /** A path to send verbatim. A URL would be normalized. */
  path?: string
  /** Sent with Content-Length unless `headers` override it. */
  body?: Buffer | string
}

/**
 * Sends an HTTP request with headers that `fetch` forbids. Resolves with any response, even an
 * early one.
 */
export function send(url: string, { method = 'GET', headers = {}, path, body }: Sending = {}) {
  return new Promise<Answer>((resolve, reject) => {
    const options = { method, headers, agent: false, ...(path !== undefined && { path }) }
    const client = request(url, options, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () => {
        const { statusCode = 0, headers: received } = response
        resolve({ status: statusCode, headers: received, body: Buffer.concat(chunks) })
        client.destroy()
      })
    })
    client.on('error', reject)
    client.end(body)
  })
}

/** Returns the code of an error response. */
export function codeOf(response: Answer): unknown {
  return JSON.parse(response.body.toString()).code
}

/** Returns status and code of an error response. */
export function refusalOf(response: Answer): [number, unknown] {
  return [response.status, codeOf(response)]
}

/**
 * Resolves when a connection, request or response is closed. Unlike `once` it ignores errors,
 * because tests break these connections on purpose.
 */
export function untilClosed(connection: EventEmitter & { closed: boolean }): Promise<void> {
  return connection.closed
    ? Promise.resolve()
    : new Promise((resolve) => connection.once('close', () => resolve()))
}

/** Returns path and query, as in the request line. */
export function targetOf(url: string): string {
  return url.slice(new URL(url).origin.length)
}
