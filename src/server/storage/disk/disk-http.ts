import type { KeyObject } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { AppError } from '../../errors.ts'
import { nameRoute } from '../../http/request-context.ts'
import type { ByteRange } from '../byte-range.ts'
import type { DownloadGrant, OnBytes, RangeTarget } from '../storage.ts'
import type { Transfers } from '../transfers.ts'
import { sealedRelativePath } from './folders.ts'
import { receiveUpload, sendOffset, type UploadReceiver } from './receive-upload.ts'
import { canNginxSend, sendByNginx } from './send-by-nginx.ts'
import { assertSize, FileSender } from './send-file.ts'
import { type SignedGrant, verifyUrl } from './signed-url.ts'

const methods = ['GET', 'HEAD', 'PUT']

/** The route names that metrics use for presigned URLs. */
const storageRoutes = {
  put: '/storage/{upload}',
  part: '/storage/{part}',
} as const satisfies Record<SignedGrant['operation'], string>

export interface DiskHttpOptions extends UploadReceiver {
  signingKey: KeyObject
  transfers: Transfers
  /** @throws {AppError} SERVER_BUSY while too many requests wait for the database. */
  shedLoad(): void
  /** The internal nginx location for sealed files, or null if this server sends them itself. */
  nginxLocation: string | null
}

/** Sends and receives files on the disk over HTTP. */
export class DiskHttp {
  readonly #options: DiskHttpOptions
  readonly #sender = new FileSender()

  constructor(options: DiskHttpOptions) {
    this.#options = options
  }

  /** Handles a request whose path begins with /storage/. Never rejects. */
  handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    return this.#options.transfers.respond(request, response, async () => {
      const grant = this.#verify(request)
      nameRoute(response, storageRoutes[grant.operation])
      if (request.method === 'PUT') {
        const work = () => receiveUpload(request, response, grant, this.#options)
        await this.#options.transfers.run('upload', response, work)
      } else {
        // A HEAD costs a query and a sync, like the start of a PUT. Unlike a PUT, it can be
        // rejected under load without wasting uploaded bytes.
        this.#options.shedLoad()
        const work = () => sendOffset(response, grant, this.#options)
        await this.#options.transfers.run('upload', response, work)
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
    const { folders, nginxLocation, transfers } = this.#options
    return transfers.respond(request, response, async () => {
      if (nginxLocation !== null && canNginxSend(request)) {
        const sealedStats = await folders.statSealed(grant.key)
        if (sealedStats === null) throw new AppError('LINK_NOT_FOUND')
        assertSize(grant, sealedStats.size)
        const path = `${nginxLocation}/${sealedRelativePath(grant.key)}`
        const { modifiedAt } = sealedStats
        return sendByNginx(grant, { request, response, path, modifiedAt, onBytes })
      }
      await transfers.run('download', response, async () => {
        const onSent = (count: number) => transfers.addSentBytes(count)
        const path = folders.sealedPath(grant.key)
        await this.#sender.send(path, grant, { request, response, onBytes, onSent })
      })
    })
  }

  /** Sends a range of a sealed object, as `Storage.sendRange` does. */
  sendRange(key: string, range: ByteRange, target: RangeTarget): Promise<void> {
    return this.#sender.sendRange(this.#options.folders.sealedPath(key), key, range, target)
  }

  /**
   * Rejects new requests and ends running ones. Received bytes stay on the disk. Resolves when all
   * requests have ended.
   */
  async close(): Promise<void> {
    const idle = this.#options.transfers.close()
    this.#options.locks.abortAll(new AppError('UNAVAILABLE'))
    await idle
  }

  #verify(request: IncomingMessage): SignedGrant {
    const { clock, signingKey } = this.#options
    const method = request.method ?? ''
    if (!methods.includes(method)) {
      throw new AppError('METHOD_NOT_ALLOWED', { headers: { Allow: methods.join(', ') } })
    }
    const verdict = verifyUrl(request.url ?? '', clock(), signingKey)
    if (!verdict.ok) throw new AppError(verdict.code)
    // As in a bucket, the signature of an upload permits no download.
    if (method === 'GET') throw new AppError('SIGNATURE_INVALID')
    return verdict.grant
  }
}
