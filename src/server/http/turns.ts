import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { ConnectionLimits } from './connection-limits.ts'
import { resetSocket } from './reset-socket.ts'

type WaitingLimits = Pick<ConnectionLimits, 'waitingRequests' | 'waitingBytes'>

/**
 * Answers the requests of a connection one after another: each begins when the answers before it
 * were sent. Node itself would start every request as soon as it arrives. Then a few KiB of
 * requests could cost as much as thousands of clients, perhaps for answers that the client never
 * reads.
 */
export class Turns {
  readonly #current = new Set<ServerResponse>()
  readonly #waiting = new WeakMap<Socket, number>()
  readonly #limits: WaitingLimits
  #bytes = 0

  /** @param limits a request that would exceed them makes the server cut its connection. */
  constructor(limits: WaitingLimits) {
    this.#limits = limits
  }

  /** The responses that are being answered now. */
  get current(): ReadonlySet<ServerResponse> {
    return this.#current
  }

  /**
   * Calls `answer` when the answers before it on this connection were sent. If the connection ends
   * earlier, `answer` is never called.
   */
  take(request: IncomingMessage, response: ServerResponse, answer: () => void): void {
    const { socket } = request
    if (socket.destroyed) return
    const begin = () => {
      this.#current.add(response)
      response.once('close', () => this.#current.delete(response))
      answer()
    }
    // Node gives a response its socket when the answers before it were sent.
    if (response.socket) {
      begin()
      return
    }
    const waiting = this.#waiting.get(socket) ?? 0
    // The first waiting request does not count: an honest client can send it before this server has
    // noted the end of the last answer.
    const bytes = waiting === 0 ? 0 : memoryOf(request)
    const { waitingRequests, waitingBytes } = this.#limits
    if (waiting >= waitingRequests || this.#bytes + bytes > waitingBytes) {
      resetSocket(socket)
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

/**
 * Estimates the memory of a waiting request in bytes: its text, the overhead of each string, and
 * Node's objects.
 */
function memoryOf({ rawHeaders, url = '' }: IncomingMessage): number {
  return rawHeaders.reduce((sum, text) => sum + text.length + 32, url.length + 4096)
}
