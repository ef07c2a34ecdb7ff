import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/**
 * Cuts the connection of every client that stands still: one that reads nothing of its answer, or
 * sends nothing of the body that it announced. A client that moves lives on, however slowly, and the
 * time that the server takes itself does not count.
 */
export class StalledClients {
  readonly #responses: Iterable<ServerResponse>
  readonly #stands = new WeakMap<ServerResponse, { progress: string; looks: number }>()

  /** @param responses those that are being answered, at most one of each connection. */
  constructor(responses: Iterable<ServerResponse>) {
    this.#responses = responses
  }

  /** So many looks without any progress, and the client is cut. */
  static readonly patience = 12

  /** To be called at even intervals. */
  look(): void {
    for (const response of this.#responses) {
      const progress = progressOf(response)
      const stand = this.#stands.get(response)
      if (progress === null) this.#stands.delete(response)
      else if (stand?.progress !== progress) this.#stands.set(response, { progress, looks: 0 })
      else {
        stand.looks += 1
        // A reset, so that the kernel too lets go of what nobody reads.
        if (stand.looks >= StalledClients.patience) response.socket?.resetAndDestroy()
      }
    }
  }
}

/** How far the client has come with what it is waited for; null where it is waited for nothing. */
function progressOf(response: ServerResponse): string | null {
  const { req: request, socket } = response
  if (!socket) return null
  if (response.writableLength > 0) {
    return `read ${socket.bytesWritten - socket.writableLength}, ${queuedBytes(socket)} left`
  }
  // While the buffer is full, it is the server that does not read.
  const mayArrive = !request.complete && request.readableLength < request.readableHighWaterMark
  return mayArrive ? `sent ${socket.bytesRead}` : null
}

/**
 * What the kernel has not taken yet of the write under way. Node tells of a write only when it is
 * done; its own socket time-outs look here too. They are of no use: they start anew with every byte
 * that arrives, and a client that reads nothing may still send.
 */
function queuedBytes(socket: Socket & { _handle?: { writeQueueSize?: number } | null }): number {
  return socket._handle?.writeQueueSize ?? 0
}
