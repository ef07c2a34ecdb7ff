import type { KeyObject } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { AppError } from '../../errors.ts'
import { sendEarlyError } from '../../http/early-response.ts'
import { FairLimit } from '../../http/limits.ts'
import { nameRoute } from '../../http/request-context.ts'
import { isDiskFull } from '../../space/disk-space.ts'
import { rejectExecution } from '../download-headers.ts'
import type { DownloadGrant, OnBytes } from '../storage.ts'
import { sealedRelativePath } from './folders.ts'
import { receiveUpload, sendOffset, type UploadReceiver } from './receive-upload.ts'
import { canNginxSend, sendByNginx } from './send-by-nginx.ts'
import { assertSize, FileSender } from './send-file.ts'
import { type SignedGrant, verifyUrl } from './signed-url.ts'
import { type TransferDirection, type TransferOutcome, transferLimits } from './transfers.ts'

const methods = ['GET', 'HEAD', 'PUT']
/** Minimum interval between log entries for refused transfers. */
const logIntervalMs = 60_000

/** The route names that metrics use for presigned URLs. */
const storageRoutes = {
  get: '/storage/{download}',
  put: '/storage/{upload}',
  part: '/storage/{part}',
} as const satisfies Record<SignedGrant['operation'], string>

export interface DiskHttpOptions extends UploadReceiver {
  signingKey: KeyObject
  /** Returns the client's IP address, to which the transfer limits apply. */
  clientAddress(request: IncomingMessage): string
  /** @throws {AppError} SERVER_BUSY while too many requests wait for the database. */
  shedLoad(): void
  /** The internal nginx location for sealed files, or null if this server sends them itself. */
  nginxLocation: string | null
}

/**
 * Sends and receives files on the disk over HTTP. An error in one request never crashes the
 * process: the client gets an error response, or none if it has already disconnected.
 */
export class DiskHttp {
  readonly #options: DiskHttpOptions
  readonly #running = {
    download: new FairLimit(transferLimits.download),
    upload: new FairLimit(transferLimits.upload),
  }
  readonly #sender = new FileSender()
  readonly #active = new Set<ServerResponse>()
  #limitLoggedAt = Number.NEGATIVE_INFINITY
  #idleWaiters: (() => void)[] = []
  #closing = false

  constructor(options: DiskHttpOptions) {
    this.#options = options
  }

  /** Handles a request whose path begins with /storage/. Never rejects. */
  handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    return this.#respond(request, response, async () => {
      const grant = this.#verify(request)
      nameRoute(response, storageRoutes[grant.operation])
      if (grant.operation === 'get') {
        rejectExecution(request.headers)
        await this.#send(grant, request, response)
      } else if (request.method === 'PUT') {
        const work = () => receiveUpload(request, response, grant, this.#options)
        await this.#transfer('upload', response, work)
      } else {
        // A HEAD costs a query and a sync, like the start of a PUT. Unlike a PUT, it can be
        // rejected under load without wasting uploaded bytes.
        this.#options.shedLoad()
        const work = () => sendOffset(response, grant, this.#options)
        await this.#transfer('upload', response, work)
      }
    })
  }

  /** Answers a GET or HEAD for a sealed object. Never rejects. */
  send(
    grant: DownloadGrant,
    request: IncomingMessage,
    response: ServerResponse,
    onBytes?: OnBytes,
  ): Promise<void> {
    return this.#respond(request, response, () => this.#send(grant, request, response, onBytes))
  }

  activeCount(): number {
    return this.#active.size
  }

  waitForIdle(): Promise<void> {
    if (this.#active.size === 0) return Promise.resolve()
    return new Promise((resolve) => this.#idleWaiters.push(resolve))
  }

  /**
   * Rejects new requests and ends running ones. Received bytes stay on the disk. Resolves when all
   * requests have ended.
   */
  async close(): Promise<void> {
    this.#closing = true
    this.#options.locks.abortAll(new AppError('UNAVAILABLE'))
    for (const response of this.#active) {
      if (response.req.method !== 'PUT') response.destroy()
    }
    await this.waitForIdle()
  }

  #verify(request: IncomingMessage): SignedGrant {
    const { clock, signingKey } = this.#options
    const method = request.method ?? ''
    if (!methods.includes(method)) {
      throw new AppError('METHOD_NOT_ALLOWED', { headers: { Allow: methods.join(', ') } })
    }
    const verdict = verifyUrl(request.url ?? '', clock(), signingKey)
    if (!verdict.ok) throw new AppError(verdict.code)
    const signedMethod = verdict.grant.operation === 'get' ? 'GET' : 'PUT'
    if (method !== 'HEAD' && method !== signedMethod) throw new AppError('SIGNATURE_INVALID')
    return verdict.grant
  }

  async #send(
    grant: DownloadGrant,
    request: IncomingMessage,
    response: ServerResponse,
    onBytes?: OnBytes,
  ): Promise<void> {
    const { folders, meter, nginxLocation } = this.#options
    if (nginxLocation !== null && canNginxSend(request)) {
      const sealedStats = await folders.statSealed(grant.key)
      if (sealedStats === null) throw new AppError('LINK_NOT_FOUND')
      assertSize(grant, sealedStats.size)
      const path = `${nginxLocation}/${sealedRelativePath(grant.key)}`
      const { modifiedAt } = sealedStats
      return sendByNginx(grant, { request, response, path, modifiedAt, onBytes })
    }
    await this.#transfer('download', response, async () => {
      const onSent = (count: number) => meter.addBytes('download', count)
      const path = folders.sealedPath(grant.key)
      await this.#sender.send(path, grant, { request, response, onBytes, onSent })
    })
  }

  /**
   * Runs a transfer within the concurrency limits. Counts it in metrics, unless it is a HEAD.
   * @throws {AppError} TOO_MANY_TRANSFERS with `Retry-After`; any error from `work`.
   */
  async #transfer(
    direction: TransferDirection,
    response: ServerResponse,
    work: () => Promise<void>,
  ): Promise<void> {
    const { clientAddress, meter } = this.#options
    const { req: request } = response
    const recordOutcome = request.method === 'HEAD' ? undefined : meter.startTransfer(direction)
    const release = this.#running[direction].take(clientAddress(request))
    try {
      if (!release) throw new AppError('TOO_MANY_TRANSFERS')
      await work()
      recordOutcome?.(outcomeOf(null, response))
    } catch (error) {
      recordOutcome?.(outcomeOf(error, response))
      throw error
    } finally {
      release?.()
    }
  }

  async #respond(
    request: IncomingMessage,
    response: ServerResponse,
    work: () => Promise<void>,
  ): Promise<void> {
    this.#active.add(response)
    try {
      if (this.#closing) throw new AppError('UNAVAILABLE')
      await work()
    } catch (error) {
      await sendEarlyError(request, response, this.#toAppError(error, request))
    } finally {
      this.#active.delete(response)
      if (this.#active.size === 0) for (const resolve of this.#idleWaiters.splice(0)) resolve()
    }
  }

  #toAppError(error: unknown, request: IncomingMessage): AppError {
    if (error instanceof AppError) {
      if (error.code === 'TOO_MANY_TRANSFERS') this.#logTransferLimit(request)
      return error
    }
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
    log.warn({ running, client }, 'a transfer was refused, since too many are running')
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
