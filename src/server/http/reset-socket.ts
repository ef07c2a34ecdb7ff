import type { Socket } from 'node:net'

/**
 * Ends a connection at once. What was not sent yet is lost, and the client learns that the
 * connection was cut. Once the kernel has all bytes of a connection that ends, Node can no longer
 * reset it, and would keep the handle for ever. Such a connection is closed instead.
 */
export function resetSocket(socket: Socket): void {
  if (socket.writableEnded && socket.writableLength === 0) socket.destroy()
  else socket.resetAndDestroy()
}
