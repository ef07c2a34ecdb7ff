import type { Server } from 'node:http'
import type { Logger } from 'pino'

/**
 * On Ctrl-C, npm repeats the signal that the server has already received from the terminal, so a
 * second signal within this time is ignored.
 */
const duplicateSignalMs = 250
const idleCheckMs = 50

export type StopReason = 'signal' | 'error'

interface ShutdownPart {
  name: string
  close(reason: StopReason): Promise<void>
  abandon?(): void
}

/** The server's started parts, closed in reverse order. */
export interface Shutdown {
  /**
   * Adds a started part. If the process must exit at once, `abandon` is called instead of `close`.
   */
  add(part: ShutdownPart): void
  /** Closes every part once. Logs any part that fails to close. */
  close(reason: StopReason): Promise<void>
  abandon(): void
}

export function createShutdown(log: Pick<Logger, 'error'>): Shutdown {
  const parts: ShutdownPart[] = []
  let closePromise: Promise<void> | null = null

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
      closePromise ??= closeAll(reason)
      return closePromise
    },
    abandon() {
      for (const part of parts.toReversed()) part.abandon?.()
    },
  }
}

/**
 * Stops the process on SIGTERM, SIGINT, SIGHUP or an uncaught error: waits for startup to finish,
 * closes every part, and exits. A second signal or error exits at once with code 1.
 * @returns a function that stops the process with an exit code.
 */
export function superviseProcess(
  startupPromise: Promise<unknown>,
  shutdown: Shutdown,
  log: Pick<Logger, 'info' | 'fatal'>,
): (exitCode: number) => void {
  let stoppingSince: number | null = null

  const stop = (exitCode: number): void => {
    if (stoppingSince !== null) return
    stoppingSince = performance.now()
    void startupPromise
      .catch(() => {})
      .then(() => shutdown.close(exitCode === 0 ? 'signal' : 'error'))
      .then(() => process.exit(exitCode))
  }

  const exitNow = (): never => {
    shutdown.abandon()
    process.exit(1)
  }

  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
    process.on(signal, () => {
      if (stoppingSince === null) {
        log.info({ signal }, 'Stopping; a second signal exits at once')
        stop(0)
      } else if (performance.now() - stoppingSince > duplicateSignalMs) exitNow()
    })
  }
  for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
    process.on(event, (error) => {
      log.fatal({ err: error }, 'Uncaught error')
      if (stoppingSince === null) stop(1)
      else exitNow()
    })
  }
  return stop
}

/** Stops listening and lets running requests finish for up to `graceMs`. */
export async function closeServer(server: Server, graceMs: number): Promise<void> {
  // `close` closes only connections that are already idle. This timer closes those that become idle
  // later.
  const idleTimer = setInterval(() => server.closeIdleConnections(), idleCheckMs)
  const graceTimer = setTimeout(() => server.closeAllConnections(), graceMs)
  await new Promise<void>((resolve) => server.close(() => resolve()))
  clearInterval(idleTimer)
  clearTimeout(graceTimer)
}
