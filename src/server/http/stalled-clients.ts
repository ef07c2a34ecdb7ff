import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/**
 * Closes the connection of every client that makes no progress: it reads nothing of its answer, or
 * sends nothing of the body that it announced. A slow client stays connected as long as it makes
 * progress. Time in which the server itself is busy does not count.
 */
export class StalledClients {
  readonly #responses: Iterable<ServerResponse>
  readonly #stands = new WeakMap<ServerResponse, { progress: string; looks: number }>()

  /** @param responses the responses that are being answered, at most one for each connection. */
  constructor(responses: Iterable<ServerResponse>) {
    this.#responses = responses
  }

  /** The server closes a connection after this many consecutive checks without progress. */
  static readonly patience = 12

  /** Checks all clients once. Call it at even intervals. */
  look(): void {
    for (const response of this.#responses) {
      const progress = progressOf(response)
      const stand = this.#stands.get(response)
      if (progress === null) this.#stands.delete(response)
      else if (stand?.progress !== progress) this.#stands.set(response, { progress, looks: 0 })
      else {
        stand.looks += 1
        // A reset makes the kernel drop the bytes that the client does not read.
        if (stand.looks >= StalledClients.patience) response.socket?.resetAndDestroy()
      }
    }
  }
}

/**
 * Returns a text about how much of the answer the client has read, or how much of its body it has
 * sent. If two checks get the same text, the client has made no progress. null: the server does not
 * wait for the client.
 */
function progressOf(response: ServerResponse): string | null {
  const { req: request, socket } = response
  if (!socket) return null
  if (response.writableLength > 0) {
    return `read ${socket.bytesWritten - socket.writableLength}, ${queuedBytes(socket)} left`
  }
  // While the buffer is full, the server does not read. So the client cannot send.
  const mayArrive = !request.complete && request.readableLength < request.readableHighWaterMark
  return mayArrive ? `sent ${socket.bytesRead}` : null
}

/**
 * Returns how many bytes of the current write the kernel has not taken yet. Node's public fields
 * count a write only when it is complete. So this function reads an internal field, as Node's own
 * time-outs do. Those time-outs do not help here: every byte that arrives restarts them, and a
 * client that reads nothing may still send.
 */
function queuedBytes(socket: Socket & { _handle?: { writeQueueSize?: number } | null }): number {
  return socket._handle?.writeQueueSize ?? 0
}
