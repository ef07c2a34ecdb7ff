import type { Server } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import type { Logger } from 'pino'

/** npm passes on a Ctrl-C that the terminal has sent to the server already. */
const sameSignalMs = 250
const idleCheckMs = 50

interface Part {
  name: string
  close(): Promise<void>
  abandon?(): void
}

/** What has been started, to be closed in the opposite order. */
export interface Lifetime {
  /** `abandon` is called instead of `close` when there is no time left. */
  add(part: Part): void
  /** Closes everything, once; a part that fails to close is logged and keeps no other from it. */
  close(): Promise<void>
  abandon(): void
}

export function createLifetime(log: Pick<Logger, 'error'>): Lifetime {
  const parts: Part[] = []
  let closed: Promise<void> | null = null

  async function closeAll(): Promise<void> {
    for (let part = parts.pop(); part; part = parts.pop()) {
      try {
        await part.close()
      } catch (error) {
        log.error({ err: error }, `Could not close the ${part.name}`)
      }
    }
  }

  return {
    add: (part) => void parts.push(part),
    close() {
      closed ??= closeAll()
      return closed
    },
    abandon() {
      for (const part of parts.toReversed()) part.abandon?.()
    },
  }
}

/**
 * Ends the process in order: at SIGTERM, SIGINT, or an error that nobody caught, everything is
 * closed first, a start that is still going on having come to its end. A second signal leaves at
 * once with exit code 1.
 * @returns a function that ends it for a reason of one's own, with that exit code.
 */
export function superviseProcess(
  started: Promise<unknown>,
  lifetime: Lifetime,
  log: Pick<Logger, 'info' | 'fatal'>,
): (exitCode: number) => void {
  let stoppingSince: number | null = null

  function stop(exitCode: number): void {
    if (stoppingSince !== null) return
    stoppingSince = performance.now()
    void started
      .catch(() => {})
      .then(() => lifetime.close())
      .then(() => process.exit(exitCode))
  }

  function leave(): never {
    lifetime.abandon()
    process.exit(1)
  }

  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      if (stoppingSince !== null) {
        if (performance.now() - stoppingSince > sameSignalMs) leave()
        return
      }
      log.info({ signal }, 'Stopping; a second signal leaves at once')
      stop(0)
    })
  }
  for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
    process.on(event, (error) => {
      log.fatal({ err: error }, 'An error that nobody caught')
      if (stoppingSince === null) stop(1)
      else leave()
    })
  }
  return stop
}

/**
 * Stops listening and lets running requests finish, for as long as `patienceMs`; then the
 * rest is cut off.
 */
export async function closeServer(server: Server, patienceMs: number): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  const patience = AbortSignal.timeout(patienceMs)
  let open = true
  void closed.then(() => {
    open = false
  })
  while (open) {
    // A connection that becomes idle only now would otherwise be kept for its next request.
    server.closeIdleConnections()
    if (patience.aborted) server.closeAllConnections()
    await Promise.race([closed, wait(idleCheckMs)])
  }
}
