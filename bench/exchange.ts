import { connect } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { resetSocket } from '../src/server/http/limits.ts'
import { contentType, type Mayfly } from './mayfly.ts'

/** Returns a raw GET request. */
export function createGetRequest(url: string, ...headers: string[]): string {
  return createRequest('GET', url, headers)
}

/** Returns a POST request that announces `length` bytes of JSON but contains only `partialBody`. */
export function createPostRequest(url: string, length: number, partialBody: string): string {
  const headers = ['Content-Type: application/json', `Content-Length: ${length}`]
  return createRequest('POST', url, headers) + partialBody
}

/**
 * Returns a PUT request that announces `length` bytes but contains only `sentBytes` bytes of the
 * body.
 */
export function createPutRequest(url: string, length: number, sentBytes: number): string {
  const headers = [`Content-Type: ${contentType}`, `Content-Length: ${length}`]
  return createRequest('PUT', url, headers) + 'x'.repeat(sentBytes)
}

function createRequest(method: string, url: string, headers: string[]): string {
  const { host, pathname, search } = new URL(url)
  const lines = [`${method} ${pathname}${search} HTTP/1.1`, `Host: ${host}`, ...headers]
  return `${lines.join('\r\n')}\r\n\r\n`
}

/** The text that the client received, and whether the server closed the connection. */
export interface ReceivedData {
  text: string
  isClosed: boolean
}

/**
 * Sends raw text on a new connection. Reads until the server closes the connection, the received
 * text matches `stopAt`, `maxMs` have passed, or `signal` aborts. Reads nothing for the first
 * `unreadMs`.
 */
export async function exchange(
  { url }: Pick<Mayfly, 'url'>,
  text: string,
  {
    stopAt,
    maxMs = 30_000,
    unreadMs = 0,
    signal,
  }: { stopAt?: RegExp; maxMs?: number; unreadMs?: number; signal?: AbortSignal } = {},
): Promise<ReceivedData> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname, () => socket.write(text))
  const receivedData: ReceivedData = { text: '', isClosed: false }
  const stopController = new AbortController()
  const stop = () => stopController.abort()
  signal?.addEventListener('abort', stop)
  socket.setEncoding('latin1')
  socket.on('error', () => {}) // reset by the server; 'close' follows
  socket.on('close', () => {
    receivedData.isClosed = true
    stop()
  })
  const stopSignal = AbortSignal.any([stopController.signal, AbortSignal.timeout(maxMs)])
  await wait(unreadMs, undefined, { signal: stopSignal }).catch(() => {})
  socket.on('data', (chunk) => {
    receivedData.text += chunk
    if (stopAt?.test(receivedData.text)) stop()
  })
  await wait(2 * maxMs, undefined, { signal: stopSignal }).catch(() => {})
  signal?.removeEventListener('abort', stop)
  const result = { ...receivedData }
  resetSocket(socket)
  return result
}
