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
  /** The path to send exactly as it is. Without it, the URL parser would change some characters. */
  path?: string
  /** The body. Its length is sent in Content-Length, unless `headers` say otherwise. */
  body?: Buffer | string
}

/**
 * Sends an HTTP request, whose headers may be ones that `fetch` refuses to send. Resolves with any
 * answer, even if it comes before the whole body was sent. Rejects when the connection breaks
 * before an answer.
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

/** Returns the code of an error answer. */
export function codeOf(answer: Answer): unknown {
  return JSON.parse(answer.body.toString()).code
}

/** Returns the status and the code of an error answer. */
export function refusalOf(answer: Answer): [number, unknown] {
  return [answer.status, codeOf(answer)]
}

/**
 * Resolves when a connection, request or response is closed, or immediately if it is closed
 * already. Unlike `once`, it does not reject at an error, because tests break these connections on
 * purpose.
 */
export function untilClosed(connection: EventEmitter & { closed: boolean }): Promise<void> {
  return connection.closed
    ? Promise.resolve()
    : new Promise((resolve) => connection.once('close', () => resolve()))
}

/** Returns the path and the query of a URL, as the first line of a request contains them. */
export function targetOf(url: string): string {
  return url.slice(new URL(url).origin.length)
}
