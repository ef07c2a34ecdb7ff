import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { resetSocket } from './reset-socket.ts'

/**
 * Closes the connection of every client that makes no progress, or too little: it reads its answer,
 * or sends the body that it announced, more slowly than any line that people use. A slow client
 * stays connected. Time in which the server itself is busy does not count.
 */
export class StalledClients {
  readonly #responses: Iterable<ServerResponse>
  readonly #watched = new WeakMap<ServerResponse, Watched>()

  /** @param responses the responses that are being answered, at most one for each connection. */
  constructor(responses: Iterable<ServerResponse>) {
    this.#responses = responses
  }

  /** The server closes a connection after this many consecutive checks without progress. */
  static readonly patience = 12

  /**
   * In any `checks` checks a client must move this many bytes. With a check every ten seconds that
   * is 109 bytes a second. Otherwise a byte now and then would keep a connection and a transfer for
   * ever, at no cost.
   */
  static readonly least = { bytes: 64 * 1024, checks: 60 }

  /** Checks all clients once. Call it at even intervals. */
  look(): void {
    for (const response of this.#responses) {
      const now = progressOf(response)
      const watched = this.#watched.get(response)
      if (now === null) {
        if (watched) watched.still = 0
      } else if (watched?.does !== now.does) {
        this.#watched.set(response, { ...now, still: 0, from: now.bytes, checks: 0 })
      } else if (isTooSlow(watched, now.bytes)) {
        // A reset makes the kernel drop the bytes that the client does not read.
        if (response.socket) resetSocket(response.socket)
      }
    }
  }
}

/** How far a client has come. */
interface Progress {
  does: 'read' | 'send'
  /** How many bytes it has read or sent so far, on this connection. */
  bytes: number
}

interface Watched extends Progress {
  /** How many checks in a row have found no progress. */
  still: number
  /** The `bytes` at the beginning of the `checks` that are counted now. */
  from: number
  checks: number
}

/** Records what one more check has found. Returns true if the client must be cut off. */
function isTooSlow(watched: Watched, bytes: number): boolean {
  watched.still = bytes === watched.bytes ? watched.still + 1 : 0
  watched.bytes = bytes
  watched.checks += 1
  if (watched.still >= StalledClients.patience) return true
  const { least } = StalledClients
  if (watched.checks < least.checks) return false
  const moved = bytes - watched.from
  watched.from = bytes
  watched.checks = 0
  return moved < least.bytes
}

/**
 * Returns how much of the answer the client has read, or how much of its body it has sent. null:
 * the server does not wait for the client.
 */
function progressOf(response: ServerResponse): Progress | null {
  const { req: request, socket } = response
  if (!socket) return null
  if (response.writableLength > 0) return { does: 'read', bytes: bytesTaken(socket) }
  // While the buffer is full, the server does not read. So the client cannot send.
  const mayArrive = !request.complete && request.readableLength < request.readableHighWaterMark
  return mayArrive ? { does: 'send', bytes: socket.bytesRead } : null
}

/**
 * Returns how many bytes the kernel has taken of all that was written. Node's public fields count a
 * write only when it is complete. So this function reads internal fields, as Node's own time-outs
 * do. Those time-outs do not help here: every byte that arrives restarts them, and a client that
 * reads nothing may still send.
 */
function bytesTaken(
  socket: Socket & { _handle?: { bytesWritten?: number; writeQueueSize?: number } | null },
): number {
  const { bytesWritten = 0, writeQueueSize = 0 } = socket._handle ?? {}
  return bytesWritten - writeQueueSize
}
