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
  const { socket } = request
  const stop = () => {
    clearTimeout(timer)
    request.off('close', stop)
    socket.off('close', stop)
  }
  request.once('close', stop)
  // If a request is answered before its body has arrived, and the client then leaves, Node closes
  // the connection and never the request. The timer would keep that request in memory.
  socket.once('close', stop)
}
