import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Logger } from 'pino'
import type { Clock } from '../clock.ts'
import { AppError } from '../errors.ts'
import { sendEarlyError } from '../http/early-response.ts'
import { FairLimit, type SharedLimit } from '../http/limits.ts'
import { isDiskFull } from '../space/disk-space.ts'

export const transferDirections = ['download', 'upload'] as const
export type TransferDirection = (typeof transferDirections)[number]

/**
 * How a transfer ended. `cut`: the client disconnected, or a server shutdown closed the connection.
 * `refused`: the client got an `AppError`. `failed`: the disk failed.
 */
export const transferOutcomes = ['complete', 'cut', 'refused', 'failed'] as const
export type TransferOutcome = (typeof transferOutcomes)[number]

export interface TransferMeter {
  /** Counts file bytes received or sent. */
  addBytes(direction: TransferDirection, count: number): void
  /** Counts the start of a transfer. Call the returned function when it ends. */
  startTransfer(direction: TransferDirection): (outcome: TransferOutcome) => void
}

export const noMeter: TransferMeter = { addBytes() {}, startTransfer: () => () => undefined }

/**
 * Maximum numbers of concurrent transfers. At these limits the process needs less than 250 MiB of
 * memory, even if all clients are slow.
 */
const transferLimits = {
  // Downloads that wait for slow clients use up to 20 MiB of chunks in total. The others use 64 KiB
  // each, so 512 downloads use 51 MiB. The guaranteed 16 suffice for a download manager, which
  // opens up to 16 connections.
  download: { total: 512, guaranteed: 16 },
  // An upload buffers at most 700 KiB between socket and disk, and less than 100 KiB if its client
  // is slower than the disk. The guaranteed 16 suffice for a browser, which sends five parts, or
  // five small files, in parallel.
  upload: { total: 256, guaranteed: 16 },
} satisfies Record<TransferDirection, SharedLimit>

/** Minimum interval between log entries for refused transfers. */
const logIntervalMs = 60_000

export interface TransfersOptions {
  meter: TransferMeter
  clock: Clock
  log: Pick<Logger, 'error' | 'warn'>
  /** Returns the client's IP address, to which the transfer limits apply. */
  clientAddress(request: IncomingMessage): string
}

/**
 * The transfers that this server makes itself. An error in one of them never crashes the process:
 * the client gets an error response, or none if it has already disconnected.
 */
export class Transfers {
  readonly #options: TransfersOptions
  readonly #running = {
    download: new FairLimit(transferLimits.download),
    upload: new FairLimit(transferLimits.upload),
  }
  readonly #active = new Set<ServerResponse>()
  #limitLoggedAt = Number.NEGATIVE_INFINITY
  #idleWaiters: (() => void)[] = []
  #closing = false

  constructor(options: TransfersOptions) {
    this.#options = options
  }

  /** Returns the number of transfers in progress. */
  activeCount(): number {
    return this.#active.size
  }

  /** Resolves when no transfer is in progress. */
  waitForIdle(): Promise<void> {
    if (this.#active.size === 0) return Promise.resolve()
    return new Promise((resolve) => this.#idleWaiters.push(resolve))
  }

  /** Rejects new requests and ends downloads. Resolves when all requests have ended. */
  async close(): Promise<void> {
    this.#closing = true
    for (const response of this.#active) {
      if (response.req.method !== 'PUT') response.destroy()
    }
    await this.waitForIdle()
  }

  /** Counts file bytes that were sent to a client. */
  addSentBytes(count: number): void {
    this.#options.meter.addBytes('download', count)
  }

  /** Counts file bytes that a client sent. */
  addReceivedBytes(count: number): void {
    this.#options.meter.addBytes('upload', count)
  }

  /**
   * Runs a transfer within the concurrency limits. Counts it in metrics, unless it is a HEAD.
   * @throws {AppError} TOO_MANY_TRANSFERS with `Retry-After`; any error from `work`.
   */
  async run(
    direction: TransferDirection,
    response: ServerResponse,
    work: () => Promise<void>,
  ): Promise<void> {
    const { clientAddress, meter } = this.#options
    const { req: request } = response
    const recordOutcome = request.method === 'HEAD' ? undefined : meter.startTransfer(direction)
    const release = this.#running[direction].take(clientAddress(request))
    try {
      if (!release) {
        this.#logTransferLimit(request)
        throw new AppError('TOO_MANY_TRANSFERS')
      }
      await work()
      recordOutcome?.(outcomeOf(null, response))
    } catch (error) {
      recordOutcome?.(outcomeOf(error, response))
      throw error
    } finally {
      release?.()
    }
  }

  /**
   * Answers a request with `work`, or with the error that it rejects with. If a response has begun,
   * an error destroys the connection. Never rejects.
   */
  async respond(
    request: IncomingMessage,
    response: ServerResponse,
    work: () => Promise<void>,
  ): Promise<void> {
    await this.track(response, async () => {
      try {
        if (this.#closing) throw new AppError('UNAVAILABLE')
        await work()
      } catch (error) {
        await sendEarlyError(request, response, this.#toAppError(error))
      }
    })
  }

  /** Runs `work`, for which `close` waits. */
  async track<Result>(response: ServerResponse, work: () => Promise<Result>): Promise<Result> {
    this.#active.add(response)
    try {
      return await work()
    } finally {
      this.#active.delete(response)
      if (this.#active.size === 0) for (const resolve of this.#idleWaiters.splice(0)) resolve()
    }
  }

  #toAppError(error: unknown): AppError {
    if (error instanceof AppError) return error
    // Usually the disk is full or failing, so the client may retry. The details only go to the log.
    this.#options.log.error({ err: error }, 'a transfer failed')
    return new AppError(isDiskFull(error) ? 'DISK_FULL' : 'UNAVAILABLE')
  }

  #logTransferLimit(request: IncomingMessage): void {
    const { clientAddress, clock, log } = this.#options
    const now = clock().getTime()
    if (now - this.#limitLoggedAt < logIntervalMs) return
    this.#limitLoggedAt = now
    const { download, upload } = this.#running
    const running = { downloads: download.used, uploads: upload.used }
    const client = clientAddress(request)
    log.warn({ running, client }, 'a transfer was refused because too many are running')
  }
}

/**
 * Returns how a transfer ended. Node also destroys a response after it has been sent completely, so
 * `writableFinished` shows whether it was cut off.
 */
function outcomeOf(
  error: unknown,
  { destroyed, writableFinished }: Pick<ServerResponse, 'destroyed' | 'writableFinished'>,
): TransferOutcome {
  if (destroyed && !writableFinished) return 'cut'
  if (error === null) return 'complete'
  return error instanceof AppError ? 'refused' : 'failed'
}
