import type { IncomingMessage } from 'node:http'

/**
 * Cuts off a request whose body does not arrive within `bodyMs`. Time counts only while the server
 * waits for the client. It does not count while the server leaves bytes unread that have arrived.
 */
export function cutSlowBody(request: IncomingMessage, bodyMs: number): void {
  const { 'content-length': length, 'transfer-encoding': coding } = request.headers
  if (request.complete || (coding === undefined && Number(length ?? 0) === 0)) return
  const timer = setTimeout(() => {
    if (request.complete) return
    if (request.readableLength < request.readableHighWaterMark) request.destroy()
    else timer.refresh()
  }, bodyMs)
  request.once('close', () => clearTimeout(timer))
}
