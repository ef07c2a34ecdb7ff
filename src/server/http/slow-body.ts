import type { IncomingMessage } from 'node:http'

/**
 * Cuts a request whose body does not arrive within `bodyMs`. Only the client's time counts. The
 * time after the body has arrived does not count, nor the time while the server leaves the buffer
 * full.
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
