import type { KeyObject } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Logger } from 'pino'
import type { Clock } from '../../deps.ts'
import { AppError } from '../../errors.ts'
import { sendEarlyError } from '../../http/early-response.ts'
import { nameRoute } from '../../http/request-context.ts'
import { isDiskFull } from '../../space/disk-space.ts'
import { refuseToRun } from '../never-run.ts'
import type { DownloadGrant, OnBytes } from '../storage.ts'
import { ByteSources } from './byte-sources.ts'
import type { Folders } from './folders.ts'
import { canNginxSend, leaveToNginx } from './leave-to-nginx.ts'
import type { UploadReceiver } from './receive-body.ts'
import { answerPartOffset, receivePart } from './receive-part.ts'
import { answerUploadOffset, receiveUpload } from './receive-upload.ts'
import { sealedName } from './sealed-name.ts'
import { assertSize, sendFile } from './send-file.ts'
import { type SignedGrant, verifyUrl } from './signed-url.ts'
import { TransferCeiling } from './transfer-ceiling.ts'
import { transferLimits } from './transfer-limits.ts'
import { metered } from './transfer-meter.ts'

const methods = ['GET', 'HEAD', 'PUT']
/**
 * Transfers that are refused because too many are running are logged at most once in this time.
 * Otherwise many of them would fill the log.
 */
const tellEveryMs = 60_000

/** The names of the requests to presigned URLs in metrics. */
const storageRoutes = {
  get: '/storage/{download}',
  put: '/storage/{upload}',
  part: '/storage/{part}',
} as const satisfies Record<SignedGrant['operation'], string>

export interface DiskHttpOptions extends UploadReceiver {
  signingKey: KeyObject
  /** Returns the client's address, by which transfers are counted. */
  clientAddress(request: IncomingMessage): string
  /** @throws {AppError} SERVER_BUSY while too many requests wait for the database. */
  shedLoad(): void
  /**
   * The internal location of nginx for the folder of sealed files, which nginx then sends itself.
   * null: this server sends them.
   */
  nginxLocation: string | null
}

/**
 * Sends and receives the bytes of files on the disk over HTTP, with Node's own requests and
 * responses. No error in one request ends the process: the client gets an answer, or is dropped if
 * it has left.
 */
export class DiskHttp {
  readonly #folders: Folders
  readonly #receiver: UploadReceiver
  readonly #signingKey: KeyObject
  readonly #clock: Clock
  readonly #log: Logger
  readonly #clientAddress: DiskHttpOptions['clientAddress']
  readonly #shedLoad: DiskHttpOptions['shedLoad']
  readonly #nginxLocation: string | null
  readonly #downloads = new TransferCeiling(transferLimits.downloads)
  readonly #uploads = new TransferCeiling(transferLimits.uploads)
  readonly #sources: ByteSources
  #toldAt = Number.NEGATIVE_INFINITY
  readonly #active = new Set<ServerResponse>()
  #whenIdle: (() => void)[] = []
  #closing = false

  constructor(options: DiskHttpOptions) {
    const { signingKey, clientAddress, shedLoad, nginxLocation, ...receiver } = options
    this.#clientAddress = clientAddress
    this.#shedLoad = shedLoad
    this.#nginxLocation = nginxLocation
    this.#signingKey = signingKey
    this.#receiver = receiver
    this.#folders = receiver.folders
    this.#sources = new ByteSources(receiver.folders)
    this.#clock = receiver.clock
    this.#log = receiver.log
    receiver.meter.running((direction) =>
      direction === 'upload' ? this.#uploads.running : this.#downloads.running,
    )
  }

  /** Answers a request whose path begins with /storage/. Never rejects. */
  handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    return this.#answer(request, response, async () => {
      const grant = this.#verify(request)
      nameRoute(response, storageRoutes[grant.operation])
      if (grant.operation === 'get') {
        refuseToRun(request.headers)
        await this.#sendMetered(grant, request, response)
      } else if (request.method === 'PUT') await this.#receiveMetered(grant, request, response)
      else await this.#answerOffset(grant, request, response)
    })
  }

  /** Answers GET and HEAD with a sealed object. Never rejects. */
  send(
    grant: DownloadGrant,
    request: IncomingMessage,
    response: ServerResponse,
    onBytes?: OnBytes,
  ): Promise<void> {
    return this.#answer(request, response, () =>
      this.#sendMetered(grant, request, response, onBytes),
    )
  }

  /** How many requests are being answered. */
  active(): number {
    return this.#active.size
  }

  /** Resolves when no request is being answered. */
  idle(): Promise<void> {
    if (this.#active.size === 0) return Promise.resolve()
    return new Promise((resolve) => this.#whenIdle.push(resolve))
  }

  /**
   * Refuses new requests and ends running ones. Bytes that arrived stay on the disk. Resolves when
   * all requests have ended.
   */
  async close(): Promise<void> {
    this.#closing = true
    this.#receiver.locks.stopAll(new AppError('UNAVAILABLE'))
    for (const response of this.#active) {
      if (response.req.method !== 'PUT') response.destroy()
    }
    await this.idle()
    this.#sources.close()
  }

  #verify(request: IncomingMessage): SignedGrant {
    const method = request.method ?? ''
    if (!methods.includes(method)) {
      throw new AppError('METHOD_NOT_ALLOWED', { headers: { Allow: methods.join(', ') } })
    }
    const verdict = verifyUrl(request.url ?? '', this.#clock(), this.#signingKey)
    if (!verdict.ok) throw new AppError(verdict.code)
    const signedFor = verdict.grant.operation === 'get' ? 'GET' : 'PUT'
    if (method !== 'HEAD' && method !== signedFor) throw new AppError('SIGNATURE_INVALID')
    return verdict.grant
  }

  #receiveMetered(
    grant: Exclude<SignedGrant, { operation: 'get' }>,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    const work = () => this.#receive(grant, request, response)
    return metered(this.#receiver.meter, 'upload', response, work)
  }

  #sendMetered(
    grant: DownloadGrant,
    request: IncomingMessage,
    response: ServerResponse,
    onBytes?: OnBytes,
  ): Promise<void> {
    if (this.#nginxLocation !== null && canNginxSend(request)) {
      return this.#leaveToNginx(grant, this.#nginxLocation, { request, response, onBytes })
    }
    const work = () => this.#send(grant, request, response, onBytes)
    return metered(this.#receiver.meter, 'download', response, work)
  }

  async #leaveToNginx(
    grant: DownloadGrant,
    location: string,
    answer: { request: IncomingMessage; response: ServerResponse; onBytes?: OnBytes | undefined },
  ): Promise<void> {
    const sealed = await this.#folders.sealedFacts(grant.key)
    if (sealed === null) throw new AppError('LINK_NOT_FOUND')
    assertSize(grant, sealed.size)
    const path = `${location}/${sealedName(grant.key)}`
    await leaveToNginx(grant, { ...answer, path, modifiedAt: sealed.modifiedAt })
  }

  /**
   * Answers a HEAD. Its query and its sync cost as much as the start of a PUT, so it has a place
   * below the same ceiling meanwhile. Unlike a PUT it brings no bytes that a refusal would waste,
   * so it also gives way to those who wait for the database.
   */
  async #answerOffset(
    grant: Exclude<SignedGrant, { operation: 'get' }>,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    this.#shedLoad()
    const end = this.#uploads.begin(this.#clientAddress(request))
    try {
      if (grant.operation === 'part') await answerPartOffset(response, grant, this.#receiver)
      else await answerUploadOffset(response, grant, this.#receiver)
    } finally {
      end()
    }
  }

  async #receive(
    grant: Exclude<SignedGrant, { operation: 'get' }>,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    const end = this.#uploads.begin(this.#clientAddress(request))
    try {
      if (grant.operation === 'part') await receivePart(request, response, grant, this.#receiver)
      else await receiveUpload(request, response, grant, this.#receiver)
    } finally {
      end()
    }
  }

  async #send(
    grant: DownloadGrant,
    request: IncomingMessage,
    response: ServerResponse,
    onBytes?: OnBytes,
  ): Promise<void> {
    const end = this.#downloads.begin(this.#clientAddress(request))
    try {
      const source = await this.#sources.open(grant.key)
      if (!source) throw new AppError('LINK_NOT_FOUND')
      try {
        const onSent = (count: number) => this.#receiver.meter.bytes('download', count)
        await sendFile(source, grant, { request, response, onBytes, onSent })
      } finally {
        await source.close()
      }
    } finally {
      end()
    }
  }

  async #answer(
    request: IncomingMessage,
    response: ServerResponse,
    work: () => Promise<void>,
  ): Promise<void> {
    this.#active.add(response)
    try {
      if (this.#closing) throw new AppError('UNAVAILABLE')
      await work()
    } catch (error) {
      await sendEarlyError(request, response, this.#refusalFor(error, request))
    } finally {
      this.#active.delete(response)
      if (this.#active.size === 0) for (const resolve of this.#whenIdle.splice(0)) resolve()
    }
  }

  #refusalFor(error: unknown, request: IncomingMessage): AppError {
    if (error instanceof AppError) {
      if (error.code === 'TOO_MANY_TRANSFERS') this.#tellOfCeiling(request)
      return error
    }
    // Usually the disk is full or failing. The client may try again. Only the log gets the details.
    this.#log.error({ err: error }, 'a transfer failed')
    return new AppError(isDiskFull(error) ? 'DISK_FULL' : 'UNAVAILABLE')
  }

  #tellOfCeiling(request: IncomingMessage): void {
    const now = this.#clock().getTime()
    if (now - this.#toldAt < tellEveryMs) return
    this.#toldAt = now
    const running = { downloads: this.#downloads.running, uploads: this.#uploads.running }
    const client = this.#clientAddress(request)
    this.#log.warn({ running, client }, 'a transfer was refused, since too many are running')
  }
}
