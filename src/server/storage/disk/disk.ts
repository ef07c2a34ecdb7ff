import * as nodeFs from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Logger } from 'pino'
import type { Clock } from '../../deps.ts'
import type { UploadSpace } from '../../space/disk-space.ts'
import { type PartGrant, SizeMismatch, type Storage, type UploadGrant } from '../storage.ts'
import { noMeter, type TransferMeter, Transfers } from '../transfers.ts'
import { combineCrc32s, type SizedCrc32 } from './crc32.ts'
import { DiskHttp } from './disk-http.ts'
import { FileHasher } from './file-hasher.ts'
import type { FileSystem } from './file-system.ts'
import { Folders } from './folders.ts'
import { isComplete, PartLists, totalBytes } from './part-lists.ts'
import { receiveBody, type UploadActivity } from './receive-upload.ts'
import { deriveSigningKey, type SignedGrant, signUrl } from './signed-url.ts'
import { WriteLocks } from './write-locks.ts'

export interface DiskStorageOptions {
  /** The folder for all stored bytes. Created if missing. */
  dataDir: string
  /** True if a server may be using the folder, whose starting uploads must be left alone. */
  isInUse?: boolean
  /**
   * The public origin. Presigned URLs begin with it, unless `withOrigin` sets another origin of
   * this server.
   */
  appUrl: URL
  /** The secret for signing URLs. Changing it invalidates all issued URLs. */
  secret: string
  clock: Clock
  log: Logger
  uploads: UploadActivity
  /** Returns the client's IP address, to which the transfer limits apply. */
  clientAddress(request: IncomingMessage): string
  /**
   * Called before the database is queried for a HEAD request to an upload URL.
   * @throws {AppError} SERVER_BUSY while too many requests wait for the database.
   */
  shedLoad(): void
  /**
   * The internal nginx location for the folder `files`. If unset, this server sends the files
   * itself.
   */
  nginxLocation?: string | null
  /** The free space on the file system that contains `dataDir`. */
  space: UploadSpace
  /** Transfer metrics. Nothing is counted if unset. */
  meter?: TransferMeter
  /** Defaults to the real file system. Only tests pass another one. */
  fileSystem?: FileSystem
}

export interface DiskStorage extends Storage {
  /**
   * Handles a request whose path begins with /storage/. Sends "100 Continue" itself, so it also
   * accepts requests from the HTTP server's `checkContinue` event. Resolves when the response has
   * been sent. Never rejects.
   */
  handle(request: IncomingMessage, response: ServerResponse): Promise<void>
  /** The transfers of this store, to which a server's other transfers can be added. */
  readonly transfers: Transfers
  /**
   * Ends running transfers. Uploads can be resumed later. Resolves when all transfers have ended.
   */
  close(): Promise<void>
}

/**
 * Opens a local folder as storage that signs its own URLs and serves the requests to them.
 * @throws if the folder can't be created or written to.
 */
export async function openDiskStorage(options: DiskStorageOptions): Promise<DiskStorage> {
  const { clock, log, space, uploads, meter = noMeter, fileSystem = nodeFs } = options
  const signingKey = deriveSigningKey(options.secret)
  const folders = await Folders.open(fileSystem, options.dataDir)
  if (!options.isInUse) await folders.removeLeftoverPartLists()
  const hasher = new FileHasher(log)
  const parts = new PartLists(folders)
  const locks = new WriteLocks()
  const crc32s = new Map<string, SizedCrc32>()
  const transfers = new Transfers({ meter, clock, log, clientAddress: options.clientAddress })
  const receiver = { folders, locks, parts, crc32s, space, uploads, meter, clock, log }
  const http = new DiskHttp({
    ...receiver,
    transfers,
    signingKey,
    shedLoad: options.shedLoad,
    nginxLocation: options.nginxLocation ?? null,
  })
  const createSigners = (origin: string) => {
    const sign = async (grant: SignedGrant) => signUrl(grant, origin, signingKey)
    return {
      signUpload: (grant: UploadGrant) => sign({ operation: 'put', ...grant }),
      signParts: (grants: readonly PartGrant[]) =>
        Promise.all(grants.map((part) => sign({ operation: 'part', ...part }))),
    } satisfies Partial<Storage>
  }
  const storedSize = async (key: string) => {
    const storedParts = await parts.read(key)
    return storedParts ? totalBytes(storedParts) : folders.storedSize(key)
  }

  const disk: DiskStorage = {
    name: 'disk',
    checksum: 'crc32',
    computesSha256: true,
    ...createSigners(options.appUrl.origin),
    withOrigin: (origin) => ({ ...disk, ...createSigners(origin) }),
    hasSpaceFor: (bytes) => space.hasSpaceFor(bytes),
    receive: (object, body) => receiveBody(object, body, receiver),
    async listParts(key) {
      const storedParts = (await parts.read(key)) ?? []
      return storedParts.map(({ partNumber, size, crc32 }) => ({
        partNumber,
        size,
        checksum: toBase64(crc32),
      }))
    },
    storedSize,

    async seal(key, size) {
      // Acquiring the lock aborts running transfers. A premature confirm must not do that.
      if (locks.isLocked(key)) {
        const storedBytes = await storedSize(key)
        if (storedBytes !== size) throw new SizeMismatch(size, storedBytes)
      }
      const lock = await locks.acquire(key, 'UPLOAD_SEALED')
      try {
        const storedParts = await parts.read(key)
        if (storedParts && !isComplete(storedParts, size))
          throw new SizeMismatch(size, totalBytes(storedParts))
        await folders.seal(key, size)
        if (storedParts) {
          crc32s.set(key, combineCrc32s(storedParts))
          await folders.removePartList(key)
        }
        return crc32s.get(key)?.crc32 ?? null
      } finally {
        lock.release()
      }
    },

    async digest(key) {
      const digest = await hasher.digest(folders.sealedPath(key))
      crc32s.delete(key)
      return digest
    },

    sendRange: (key, range, target) => http.sendRange(key, range, target),

    async remove(key) {
      const lock = await locks.acquire(key, 'UPLOAD_NOT_FOUND')
      try {
        await folders.remove(key)
        crc32s.delete(key)
      } finally {
        lock.release()
      }
    },

    syncRemovals: (keys) => folders.syncRemovals(keys),
    deliver: async (grant) => ({
      kind: 'stream',
      send: (request, response, onBytes) => http.send(grant, request, response, onBytes),
    }),
    list: () => folders.list(),
    installation: () => folders.readInstallation(),
    claim: (installation) => folders.writeInstallation(installation),
    check: () => folders.probe(),
    handle: (request, response) => http.handle(request, response),
    transfers,
    async close() {
      await http.close()
      await hasher.close()
    },
  }
  return disk
}

/** Encodes a CRC-32 for the checksum header: four bytes, big-endian, in base64. */
function toBase64(crc32: number): string {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(crc32)
  return bytes.toString('base64')
}
