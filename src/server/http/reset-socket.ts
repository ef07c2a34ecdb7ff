import type { Socket } from 'node:net'

/**
 * Ends a connection at once by a TCP reset. What was not sent yet is lost, and the client learns
 * that the connection was cut. A socket that was ended, and whose bytes are all in the kernel, is
 * only closed: Node fails to reset such a socket, and would never free its handle.
 */
export function resetSocket(socket: Socket): void {
  if (socket.writableEnded && socket.writableLength === 0) socket.destroy()
  else socket.resetAndDestroy()
}
