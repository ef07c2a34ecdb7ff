import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { ConnectionLimits } from './connection-limits.ts'

type WaitingLimits = Pick<ConnectionLimits, 'waitingRequests' | 'waitingBytes'>

/**
 * Answers the requests of a connection one after another, each when all before it have been sent.
 * Node starts those that a client sends ahead at once, so that a few KiB of them would cost as much
 * as thousands of clients, for answers that nobody may ever read.
 */
export class Turns {
  readonly #current = new Set<ServerResponse>()
  readonly #waiting = new WeakMap<Socket, number>()
  readonly #limits: WaitingLimits
  #bytes = 0

  /** @param limits where a request would go past them, its connection is cut. */
  constructor(limits: WaitingLimits) {
    this.#limits = limits
  }

  /** The responses whose turn it is. */
  get current(): ReadonlySet<ServerResponse> {
    return this.#current
  }

  /** Calls `answer` when it is this response's turn; never, where the connection ends before. */
  take(request: IncomingMessage, response: ServerResponse, answer: () => void): void {
    const { socket } = request
    if (socket.destroyed) return
    const begin = () => {
      this.#current.add(response)
      response.once('close', () => this.#current.delete(response))
      answer()
    }
    // Node gives a response the socket when it is the one to be sent.
    if (response.socket) {
      begin()
      return
    }
    const waiting = this.#waiting.get(socket) ?? 0
    // The first one always may: an honest client can be that far ahead of our own bookkeeping.
    const bytes = waiting === 0 ? 0 : memoryOf(request)
    const { waitingRequests, waitingBytes } = this.#limits
    if (waiting >= waitingRequests || this.#bytes + bytes > waitingBytes) {
      socket.resetAndDestroy()
      return
    }
    this.#waiting.set(socket, waiting + 1)
    this.#bytes += bytes
    const leave = () => {
      response.off('socket', take)
      request.off('close', leave)
      this.#bytes -= bytes
      this.#waiting.set(socket, (this.#waiting.get(socket) ?? 1) - 1)
    }
    const take = () => {
      leave()
      begin()
    }
    response.once('socket', take)
    request.once('close', leave)
  }
}

/** What a request that waits takes, in bytes: its text, each text's own head, and Node's objects. */
function memoryOf({ rawHeaders, url = '' }: IncomingMessage): number {
  return rawHeaders.reduce((sum, text) => sum + text.length + 32, url.length + 4096)
}
