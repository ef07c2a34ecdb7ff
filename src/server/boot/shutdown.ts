import type { Server } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import type { Logger } from 'pino'

/**
 * npm repeats a Ctrl-C to the server, which has already received it from the terminal. A second
 * signal within this time is that repetition.
 */
const sameSignalMs = 250
const idleCheckMs = 50

/** Why the parts are closed: the process was told to stop, or it cannot go on after a fault. */
export type StopReason = 'told' | 'fault'

interface Part {
  name: string
  close(reason: StopReason): Promise<void>
  abandon?(): void
}

/** Keeps the parts of the server that have been started. It closes the last started part first. */
export interface Shutdown {
  /**
   * Adds a part that has been started. Its `abandon` is called in place of `close` when the process
   * must end without waiting.
   */
  add(part: Part): void
  /**
   * Closes every part once. If a part fails to close, the failure is logged and the others still
   * close.
   */
  close(reason: StopReason): Promise<void>
  abandon(): void
}

/** Makes a list of parts that is still empty. Parts that cannot be closed are written to `log`. */
export function createShutdown(log: Pick<Logger, 'error'>): Shutdown {
  const parts: Part[] = []
  let closed: Promise<void> | null = null

  const closeAll = async (reason: StopReason): Promise<void> => {
    for (let part = parts.pop(); part; part = parts.pop()) {
      try {
        await part.close(reason)
      } catch (error) {
        log.error({ err: error }, `Could not close the ${part.name}`)
      }
    }
  }

  return {
    add: (part) => void parts.push(part),
    close(reason) {
      closed ??= closeAll(reason)
      return closed
    },
    abandon() {
      for (const part of parts.toReversed()) part.abandon?.()
    },
  }
}

/**
 * Ends the process at SIGTERM and SIGINT, or after an error that no code caught. It waits for a
 * start that is still going on, closes every part, and then exits. If it is told to stop again
 * meanwhile, or another error is not caught, it exits immediately with code 1.
 * @returns a function that ends the process in the same way, with the given exit code.
 */
export function superviseProcess(
  started: Promise<unknown>,
  shutdown: Shutdown,
  log: Pick<Logger, 'info' | 'fatal'>,
): (exitCode: number) => void {
  let stoppingSince: number | null = null

  const stop = (exitCode: number): void => {
    if (stoppingSince !== null) return
    stoppingSince = performance.now()
    void started
      .catch(() => {})
      .then(() => shutdown.close(exitCode === 0 ? 'told' : 'fault'))
      .then(() => process.exit(exitCode))
  }

  const leave = (): never => {
    shutdown.abandon()
    process.exit(1)
  }

  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      if (stoppingSince === null) {
        log.info({ signal }, 'Stopping; a second signal leaves at once')
        stop(0)
      } else if (performance.now() - stoppingSince > sameSignalMs) leave()
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
 * Stops listening, and lets running requests finish for up to `patienceMs`. Requests that still run
 * after that are cut off.
 */
export async function closeServer(server: Server, patienceMs: number): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  const patience = AbortSignal.timeout(patienceMs)
  let open = true
  void closed.then(() => {
    open = false
  })
  while (open) {
    // Without this call, a connection that became idle meanwhile would stay open for its next
    // request.
    server.closeIdleConnections()
    if (patience.aborted) server.closeAllConnections()
    await Promise.race([closed, wait(idleCheckMs)])
  }
}
