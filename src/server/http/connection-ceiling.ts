import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Logger } from 'pino'
import { AppError } from '../errors.ts'
import type { ConnectionLimits } from './connection-limits.ts'
import { type Ceiling, FairCeiling } from './fair-ceiling.ts'
import { refuse } from './refusal.ts'
import { resetSocket } from './reset-socket.ts'

/** Refused connections are logged at most once in this many milliseconds. */
const tellEveryMs = 60_000

/**
 * Limits how many connections are open, in all and for each address. The first request of a
 * connection past the limit is refused, and the connection is closed. How many connections wait for
 * their refusal is limited in the same way, and any further one is reset. Connections that were
 * open before are not affected.
 */
export class ConnectionCeiling {
  readonly #refused = new WeakSet<Socket>()
  readonly #open: FairCeiling
  readonly #waiting: FairCeiling
  readonly #log: Pick<Logger, 'warn'>
  #isTold = false

  constructor(
    server: Server,
    { connections, refused }: Pick<ConnectionLimits, 'connections' | 'refused'>,
    { trustProxy, log }: { trustProxy: boolean; log: Pick<Logger, 'warn'> },
  ) {
    this.#log = log
    // All connections come from the proxy's address, so this one address may open all of them.
    const ceilingOf = ({ total, always }: Ceiling) =>
      new FairCeiling({ total, always: trustProxy ? total : always })
    this.#open = ceilingOf(connections)
    this.#waiting = ceilingOf(refused)
    // Node's own `maxConnections` stays unset. It counts for all addresses together, so one address
    // could use it up. File descriptors do not run out without it: what is past both ceilings is
    // closed here, before Node accepts the next connection.
    server.on('connection', (socket) => {
      const address = socket.remoteAddress ?? ''
      const end = this.#open.take(address)
      if (end) {
        socket.once('close', end)
        return
      }
      this.#tell()
      const endWaiting = this.#waiting.take(address)
      if (!endWaiting) {
        resetSocket(socket)
        return
      }
      this.#refused.add(socket)
      const timer = setTimeout(() => resetSocket(socket), refused.withinMs)
      socket.once('close', () => {
        clearTimeout(timer)
        endWaiting()
      })
    })
  }

  /** Returns false for a request on a refused connection, and answers it with SERVER_BUSY. */
  admits(request: IncomingMessage, response: ServerResponse): boolean {
    if (!this.#refused.has(request.socket)) return true
    void refuse(
      request,
      response,
      new AppError('SERVER_BUSY', { headers: { connection: 'close' } }),
    )
    return false
  }

  #tell() {
    if (this.#isTold) return
    this.#isTold = true
    this.#log.warn({ open: this.#open.open }, 'connections are refused, since too many are open')
    setTimeout(() => {
      this.#isTold = false
    }, tellEveryMs).unref()
  }
}
