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
  /** Sent letter for letter in place of the URL's own path, which parsing has tidied. */
  path?: string
  /** Sent with its own length, unless the headers say otherwise. */
  body?: Buffer | string
}

/**
 * One HTTP request, with headers that `fetch` would not let through. Resolves with whatever answer
 * comes, also one that comes before the body has been sent; rejects when the connection breaks first.
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

/** The code of an error answer. */
export function codeOf(answer: Answer): unknown {
  return JSON.parse(answer.body.toString()).code
}

/** Status and code of an error answer. */
export function refusalOf(answer: Answer): [number, unknown] {
  return [answer.status, codeOf(answer)]
}

/**
 * Resolves when a connection, request or response is closed, at once where it is already. Unlike
 * `once`, which takes an error for a failure: here connections are meant to break.
 */
export function untilClosed(connection: EventEmitter & { closed: boolean }): Promise<void> {
  return connection.closed
    ? Promise.resolve()
    : new Promise((resolve) => connection.once('close', () => resolve()))
}

/** What stands in the first line of a request. */
export function targetOf(url: string): string {
  return url.slice(new URL(url).origin.length)
}
