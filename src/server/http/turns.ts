import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/**
 * Answers the requests of a connection one after another, each when all before it have been sent.
 * Node starts those that a client sends ahead at once, so that a few KiB of them would cost as much
 * as thousands of clients, for answers that nobody may ever read.
 */
export class Turns {
  readonly #current = new Set<ServerResponse>()
  readonly #waiting = new WeakMap<Socket, number>()
  readonly #waitingAtMost: number

  /** @param waitingAtMost requests of one connection may wait; one more, and it is cut. */
  constructor(waitingAtMost: number) {
    this.#waitingAtMost = waitingAtMost
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
    if (waiting >= this.#waitingAtMost) {
      socket.resetAndDestroy()
      return
    }
    this.#waiting.set(socket, waiting + 1)
    response.once('socket', () => {
      this.#waiting.set(socket, (this.#waiting.get(socket) ?? 1) - 1)
      begin()
    })
  }
}
