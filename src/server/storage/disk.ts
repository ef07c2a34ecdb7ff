import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Logger } from 'pino'
import type { Clock } from '../deps.ts'
import { AppError } from '../errors.ts'
import type { BlockWriter } from './block-writer.ts'
import { DataPlane } from './disk-http.ts'
import { Folders } from './folders.ts'
import type { UploadActivity } from './receive-upload.ts'
import { deriveSigningKey, type SignedGrant, signUrl } from './signed-url.ts'
import { SizeMismatch, type Storage } from './storage.ts'
import { UploadLanes } from './upload-lanes.ts'

export interface DiskStorageOptions {
  /** The folder that holds everything; made where it is missing. One server at a time uses it. */
  dataDir: string
  /** The public origin, under which `handle` answers. */
  appUrl: URL
  /** What the signatures rest on: the same after a restart, or URLs already given stop working. */
  secret: string
  clock: Clock
  log: Logger
  uploads: UploadActivity
}

export interface DiskStorage extends Storage {
  /**
   * Answers every request whose path begins with /storage/, also those of the server's
   * `checkContinue` event, whose 100 it sends itself. Resolves when the answer has ended; never
   * rejects.
   */
  handle(request: IncomingMessage, response: ServerResponse): Promise<void>
  /** How many transfers are running, in and out. */
  activeTransfers(): number
  /** Resolves when no transfer is running. */
  idle(): Promise<void>
  /** Ends what runs (arrived bytes stay and can be continued) and resolves when all has ended. */
  close(): Promise<void>
}

/**
 * The storage port on a local disk, which signs its own URLs and answers them itself.
 * @throws when the folder cannot be made or written.
 */
export async function openDiskStorage(options: DiskStorageOptions): Promise<DiskStorage> {
  const { clock, log, uploads } = options
  const { origin } = options.appUrl
  const signingKey = deriveSigningKey(options.secret)
  const folders = await Folders.open(options.dataDir)
  const lanes = new UploadLanes()
  const running = new Map<string, BlockWriter>()
  const plane = new DataPlane({ folders, lanes, running, uploads, clock, log, signingKey })
  const sign = async (grant: SignedGrant) => signUrl(grant, origin, signingKey)

  return {
    name: 'disk',
    signUpload: (grant) => sign({ operation: 'put', ...grant }),
    signDownload: (grant) => sign({ operation: 'get', ...grant }),
    storedSize: (key) => folders.storedSize(key),

    async seal(key, size) {
      // Asked before a running transfer is stopped: confirming too early must not end an upload.
      const stored = await folders.storedSize(key)
      if (stored !== size) throw new SizeMismatch(size, stored)
      const lane = await lanes.enter(key, new AppError('UPLOAD_SEALED'))
      try {
        await folders.seal(key, size)
      } finally {
        lane.leave()
      }
    },

    async remove(key) {
      const lane = await lanes.enter(key, new AppError('UPLOAD_NOT_FOUND'))
      try {
        await folders.remove(key)
      } finally {
        lane.leave()
      }
    },

    deliver: async (grant) => ({
      kind: 'stream',
      send: (request, response, onBytes) => plane.send(grant, request, response, onBytes),
    }),
    list: () => folders.list(),
    installation: () => folders.readInstallation(),
    claim: (installation) => folders.writeInstallation(installation),
    check: () => folders.probe(),
    handle: (request, response) => plane.handle(request, response),
    activeTransfers: () => plane.active(),
    idle: () => plane.idle(),
    close: () => plane.close(),
  }
}
