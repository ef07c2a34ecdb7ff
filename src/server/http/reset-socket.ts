import type { Socket } from 'node:net'

/**
 * Ends a connection at once. What was not sent yet is lost, and the client learns that the
 * connection was cut. Node cannot reset a connection that it is already ending: it would keep the
 * handle for ever. Such a connection is closed instead, and the kernel sends what it has.
 */
export function resetSocket(socket: Socket): void {
  if (socket.writableEnded) socket.destroy()
  else socket.resetAndDestroy()
}
