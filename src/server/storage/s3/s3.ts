import { createHash, randomUUID } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { Readable } from 'node:stream'
import { crc32 } from 'node:zlib'
import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  type ListObjectsV2CommandOutput,
  PutObjectCommand,
  type S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3'
import { Upload } from '@aws-sdk/lib-storage'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import type { S3Settings } from '../../config/s3-settings.ts'
import type { Clock } from '../../deps.ts'
import { AppError, StartupError } from '../../errors.ts'
import { FairLimit } from '../../http/limits.ts'
import type { ByteRange, Validators } from '../byte-range.ts'
import { contentDisposition, downloadCacheControl, safeContentType } from '../download-headers.ts'
import { mergeByKey } from '../merge-by-key.ts'
import {
  type Delivery,
  type DownloadGrant,
  type DownloadMethod,
  type ObjectDigest,
  type PartGrant,
  type RangeTarget,
  type ReceivedBody,
  type SealedObjects,
  SizeMismatch,
  type Storage,
  type StoredObject,
  type StoredPart,
  type UploadGrant,
} from '../storage.ts'
import { assertStorageKey, isStorageKey } from '../storage-key.ts'
import { writeNow } from '../write-now.ts'
import { clockDifferenceMs, hasVersioning } from './bucket.ts'
import {
  type CommandSenders,
  createS3Clients,
  defaultTimeouts,
  nullIfNotFound,
  originOf,
  orUnavailable,
  type S3Timeouts,
  signingWindow,
  signPart,
} from './client.ts'
import { openS3Multipart } from './multipart.ts'
import { receiveChunks } from './receive-chunks.ts'

/**
 * Lifetime of the URL in a redirect. The URL can't be revoked if the link ends early, so it lives
 * just long enough to be followed. A download that is resumed later requests the link again.
 */
const redirectLifetimeMs = 60_000
/**
 * The part number of a file sent in one PUT. Such a file is the only part of its own multipart
 * upload (decision 014).
 */
const wholeFilePart = 1
/**
 * Limits for objects that the server itself writes: the minimum part size in bytes, and the maximum
 * number of parts that S3 allows.
 */
const minWritePartSize = 8 * 1024 * 1024
const maxWriteParts = 10_000
/** The parts of a body from a client. Two are in flight while a third fills up. */
const bodyPartSize = 5 * 1024 * 1024
const bodyPartsInMemory = 3
/** Bytes in memory of bodies from clients. */
const bodyMemory = { total: 240 * 1024 * 1024, guaranteed: 120 * 1024 * 1024 }
/** Reading fails if none of the object's bytes arrive for this long. */
const stallMs = 30_000
const folder = 'files/'
/** Key prefix for test objects. Each check writes an object under a new key. */
const probePrefix = 'check-'

export interface S3StorageOptions {
  settings: S3Settings
  clock: Clock
  /** The number of objects, uploads or parts per list response. Buckets allow at most 1000. */
  pageSize?: number
  /** Timeouts for requests to the bucket. Only tests change them. */
  timeouts?: S3Timeouts
}

export interface S3Storage extends Storage, Omit<SealedObjects, keyof Storage> {
  /** Returns the origin that browsers upload to and download from. */
  publicOrigin(): Promise<string>
  /** Closes idle connections. */
  close(): Promise<void>
}

/**
 * Opens a bucket as storage. Each upload is a multipart upload. Sealing completes it: after that,
 * its parts' presigned URLs no longer work, and the object is never written again. The bucket
 * verifies each body against its MD5 header. Methods throw {AppError} UNAVAILABLE if a request to
 * the bucket fails.
 */
export function openS3Storage(options: S3StorageOptions): S3Storage {
  return new BucketStorage(options)
}

/**
 * Opens a bucket as storage and checks that it is usable.
 * @throws {StartupError} if the bucket doesn't respond or can't be written to.
 */
export async function openBucket(options: S3StorageOptions): Promise<S3Storage> {
  const { bucket, endpoint, region } = options.settings
  const storage = openS3Storage(options)
  try {
    await storage.check()
  } catch (error) {
    await storage.close()
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
    const reason = cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause)
    throw new StartupError(
      `The bucket "${bucket}" at ${endpoint?.href ?? `AWS in ${region}`} cannot be used (${reason}). ` +
        'Check the settings that begin with S3_, and the permissions of the access key.',
      { cause },
    )
  }
  return storage
}

class BucketStorage implements S3Storage {
  readonly name = 's3'
  readonly checksum = 'md5'
  readonly computesSha256 = false
  readonly #bucket: string
  readonly #clock: Clock
  readonly #pageSize: number
  readonly #internalClient: S3Client
  readonly #signingClient: S3Client
  readonly #senders: CommandSenders
  readonly #uploads: ReturnType<typeof openS3Multipart>
  readonly #bodies = new FairLimit(bodyMemory)
  #lastDigest: Promise<unknown> = Promise.resolve()

  constructor(options: S3StorageOptions) {
    const { settings, clock, pageSize = 1000, timeouts = defaultTimeouts } = options
    const { internalClient, signingClient, senders } = createS3Clients(settings, timeouts)
    this.#bucket = settings.bucket
    this.#clock = clock
    this.#pageSize = pageSize
    this.#internalClient = internalClient
    this.#signingClient = signingClient
    this.#senders = senders
    this.#uploads = openS3Multipart(senders, settings.bucket, pageSize)
  }

  // A bucket has no space limit that the server could query.
  async hasSpaceFor(): Promise<boolean> {
    return true
  }

  async signUpload(grant: UploadGrant): Promise<string> {
    const uploadId = await this.#openFor('whole', grant)
    return this.#signPartUrl(grant, uploadId, wholeFilePart)
  }

  async signParts(parts: readonly PartGrant[]): Promise<string[]> {
    const [first] = parts
    if (!first) return []
    const uploadId = await this.#openFor('parts', first)
    return Promise.all(parts.map((part) => this.#signPartUrl(part, uploadId, part.partNumber)))
  }

  async listParts(key: string): Promise<StoredPart[]> {
    const parts = await this.#uploads.readParts(objectKey(key))
    return parts.map(({ partNumber, size, etag }) => ({ partNumber, size, ...md5In(etag) }))
  }

  async storedSize(key: string): Promise<number | null> {
    // Check the incoming bytes first. In the other order, an object sealed between the two checks
    // would be missed.
    const [latest] = await this.#uploads.readReceived(await this.#uploads.listOf(objectKey(key)))
    return (await this.#sealedSize(key)) ?? latest?.size ?? null
  }

  async seal(key: string, size: number): Promise<null> {
    const openUploads = await this.#uploads.listOf(objectKey(key))
    const receivedUploads = await this.#uploads.readReceived(openUploads)
    const sizeBefore = await this.#sealedSize(key)
    if (sizeBefore !== null && sizeBefore !== size) throw new SizeMismatch(size, sizeBefore)
    const [latest] = receivedUploads
    if (sizeBefore === null) {
      if (latest?.size !== size) throw new SizeMismatch(size, latest?.size ?? null)
      await this.#uploads.complete(latest)
      // `complete` does nothing if another call has completed the upload, or if a part has been
      // sent again since it was listed. Only the sealed object's size shows whether all bytes are
      // there.
      const sizeAfter = await this.#sealedSize(key)
      if (sizeAfter !== size) throw new SizeMismatch(size, sizeAfter)
    }
    // Keep uploads that have all their bytes, because another call may be completing one right now.
    const keptIds = receivedUploads
      .filter((upload) => upload.size === size)
      .map(({ uploadId }) => uploadId)
    const surplusUploads = openUploads.filter(({ uploadId }) => !keptIds.includes(uploadId))
    await Promise.all(surplusUploads.map(this.#uploads.abort))
    // The bucket has no CRC-32s, because PUTs carry an MD5.
    return null
  }

  // Read one object at a time, so that clients can't make the server read many large ones at once.
  digest(key: string): Promise<ObjectDigest | null> {
    const compute = async () => {
      const bytes = await this.read(key)
      return bytes && orUnavailable(digestStream(bytes))
    }
    const digest = this.#lastDigest.then(compute, compute)
    this.#lastDigest = digest
    return digest
  }

  async read(key: string): Promise<Readable | null> {
    const response = await nullIfNotFound(
      this.#senders.interactive(new GetObjectCommand(this.#objectOf(key))),
    )
    return response?.Body ? (response.Body as Readable) : null
  }

  async sendRange(key: string, range: ByteRange, target: RangeTarget): Promise<void> {
    const { response, onSent, disconnected } = target
    const length = range.end - range.start + 1
    try {
      const Range = `bytes=${range.start}-${range.end}`
      const request = new GetObjectCommand({ ...this.#objectOf(key), Range })
      const options = { abortSignal: disconnected }
      const object = await nullIfNotFound(this.#senders.interactive(request, options))
      if (!object?.Body) throw new AppError('LINK_NOT_FOUND')
      if (object.ContentLength !== length)
        throw new Error(`${key} has ${object.ContentLength} bytes of ${Range}, not ${length}`)
      for await (const chunk of untilStalled(object.Body as Readable)) {
        const { sent, flushed } = writeNow(chunk, response)
        onSent(sent)
        await flushed
      }
    } catch (error) {
      if (!disconnected.aborted) throw error
    }
  }

  write(key: string, size: number, bytes: Readable): Promise<void> {
    return this.#send(key, bytes, sizeOfWriteParts(size, minWritePartSize))
  }

  async #send(key: string, bytes: Readable, partSize: number): Promise<void> {
    const params = { ...this.#objectOf(key), Body: bytes, ContentType: 'application/octet-stream' }
    await orUnavailable(
      new Upload({ client: this.#internalClient, params, partSize, queueSize: 2 }).done(),
    )
  }

  copy(key: string, size: number, path: string): Promise<void> {
    return this.write(key, size, createReadStream(path))
  }

  async receive(
    { key, maxSize }: { key: string; maxSize: number },
    body: ReceivedBody,
  ): Promise<number> {
    const partSize = sizeOfWriteParts(maxSize, bodyPartSize)
    const memory = Math.min(maxSize, bodyPartsInMemory * partSize)
    const release = this.#bodies.take(body.clientAddress, memory)
    if (!release) throw new AppError('TOO_MANY_TRANSFERS')
    try {
      let size = 0
      const onReceived = async (count: number) => {
        size += count
        if (size > maxSize) throw new AppError('FILE_TOO_LARGE')
        await body.onReceived(count)
      }
      const chunks = Readable.from(receiveChunks({ ...body, onReceived }))
      await this.#send(key, chunks, partSize)
      return size
    } finally {
      release()
    }
  }

  async removeLeftoverParts(): Promise<void> {
    for await (const upload of this.#uploads.list(folder)) await this.#uploads.abort(upload)
  }

  async remove(key: string): Promise<void> {
    const openUploads = await this.#uploads.listOf(objectKey(key))
    await Promise.all(openUploads.map(this.#uploads.abort))
    await nullIfNotFound(this.#senders.interactive(new DeleteObjectCommand(this.#objectOf(key))))
  }

  // A bucket confirms a removal only once it is durable, so there is nothing to sync.
  async syncRemovals(): Promise<void> {}

  list(): AsyncIterable<StoredObject> {
    return mergeByKey(this.#listSealed(), this.#listUnsealed())
  }

  async deliver(grant: DownloadGrant, method: DownloadMethod): Promise<Delivery> {
    const redirectExpiry = this.#clock().getTime() + redirectLifetimeMs
    const expiresAt = new Date(Math.min(redirectExpiry, grant.expiresAt.getTime()))
    const url = await this.#signDownload({ ...grant, expiresAt }, method)
    const validators = (signal: AbortSignal) => this.#readValidators(grant.key, signal)
    return { kind: 'redirect', url, validators }
  }

  #signDownload(grant: DownloadGrant, method: DownloadMethod): Promise<string> {
    const request = {
      ...this.#objectOf(grant.key),
      ResponseContentDisposition: contentDisposition(grant.fileName),
      ResponseContentType: safeContentType(grant.mimeType),
      ResponseCacheControl: downloadCacheControl,
    }
    const window = signingWindow(this.#clock(), grant.expiresAt)
    return method === 'HEAD'
      ? getSignedUrl(this.#signingClient, new HeadObjectCommand(request), window)
      : getSignedUrl(this.#signingClient, new GetObjectCommand(request), window)
  }

  async installation(): Promise<string | null> {
    const request = new GetObjectCommand(this.#installationObject())
    const response = await nullIfNotFound(this.#senders.interactive(request))
    return response?.Body ? await response.Body.transformToString() : null
  }

  async claim(text: string): Promise<void> {
    await orUnavailable(
      this.#senders.interactive(
        new PutObjectCommand({ ...this.#installationObject(), Body: text }),
      ),
    )
  }

  async check(): Promise<void> {
    const text = randomUUID()
    const probe = { Bucket: this.#bucket, Key: `${probePrefix}${text}` }
    await orUnavailable(this.#senders.interactive(new PutObjectCommand({ ...probe, Body: text })))
    try {
      const { Body } = await orUnavailable(this.#senders.interactive(new GetObjectCommand(probe)))
      if ((await Body?.transformToString()) !== text) {
        throw new Error('the bucket returns other bytes than were written')
      }
    } finally {
      await orUnavailable(this.#senders.interactive(new DeleteObjectCommand(probe)))
    }
  }

  hasVersioning(): Promise<boolean> {
    return orUnavailable(hasVersioning(this.#senders.interactive, this.#bucket))
  }

  clockDifferenceMs(): Promise<number> {
    return orUnavailable(clockDifferenceMs(this.#senders.interactive, this.#bucket, this.#clock))
  }

  publicOrigin(): Promise<string> {
    return originOf(this.#signingClient, this.#bucket)
  }

  async close(): Promise<void> {
    this.#internalClient.destroy()
    this.#signingClient.destroy()
  }

  #objectOf(key: string) {
    return { Bucket: this.#bucket, Key: objectKey(key) }
  }

  #installationObject() {
    return { Bucket: this.#bucket, Key: 'installation' }
  }

  #openFor(use: 'whole' | 'parts', { key, mimeType }: UploadGrant): Promise<string> {
    const isSealed = async () => (await this.#sealedSize(key)) !== null
    return this.#uploads.openFor(use, objectKey(key), mimeType, isSealed)
  }

  #signPartUrl(grant: UploadGrant, UploadId: string, PartNumber: number): Promise<string> {
    const part = { ...this.#objectOf(grant.key), UploadId, PartNumber, ContentLength: grant.size }
    return signPart(this.#signingClient, new UploadPartCommand(part), grant, this.#clock())
  }

  async #sealedSize(key: string): Promise<number | null> {
    const head = await this.#head(key)
    return head ? (head.ContentLength ?? 0) : null
  }

  async #readValidators(key: string, abortSignal: AbortSignal): Promise<Validators | null> {
    const { ETag, LastModified } = (await this.#head(key, { abortSignal })) ?? {}
    return ETag && LastModified ? { etag: ETag, lastModified: LastModified } : null
  }

  #head(key: string, options: { abortSignal?: AbortSignal } = {}) {
    return nullIfNotFound(
      this.#senders.interactive(new HeadObjectCommand(this.#objectOf(key)), options),
    )
  }

  /** Lists the sealed objects. S3 returns them sorted by key. */
  async *#listSealed(): AsyncGenerator<StoredObject, void> {
    const listing = { Bucket: this.#bucket, Prefix: folder, MaxKeys: this.#pageSize }
    for (let token: string | undefined, hasMore = true; hasMore; hasMore = token !== undefined) {
      const request = new ListObjectsV2Command({ ...listing, ContinuationToken: token })
      const page: ListObjectsV2CommandOutput = await orUnavailable(
        this.#senders.background(request),
      )
      for (const { Key = '', LastModified } of page.Contents ?? []) {
        if (LastModified) yield* toStoredObject(Key, LastModified)
      }
      token = page.NextContinuationToken
    }
  }

  /**
   * Lists objects that are still being uploaded, sorted by key. Reads all open uploads first, since
   * some buckets don't sort them by key; upload limits keep their number small. If a key has
   * several uploads, the newest one determines the date, so that recent bytes never look old.
   */
  async *#listUnsealed(): AsyncGenerator<StoredObject, void> {
    // Times are in milliseconds, because there can be very many of them, and a number takes a
    // fraction of a Date's memory.
    const startTimes = new Map<string, number>()
    for await (const { key, begunAt } of this.#uploads.list(folder))
      startTimes.set(key, Math.max(begunAt.getTime(), startTimes.get(key) ?? 0))
    for (const key of [...startTimes.keys()].sort())
      yield* toStoredObject(key, new Date(startTimes.get(key) ?? 0))
  }
}

function objectKey(key: string): string {
  assertStorageKey(key)
  return `${folder}${key}`
}

function sizeOfWriteParts(maxSize: number, minPartSize: number): number {
  return Math.max(minPartSize, Math.ceil(maxSize / maxWriteParts))
}

async function digestStream(bytes: Readable): Promise<ObjectDigest> {
  const sha256 = createHash('sha256')
  let crc = 0
  for await (const chunk of untilStalled(bytes)) {
    sha256.update(chunk)
    crc = crc32(chunk, crc)
  }
  return { sha256: sha256.digest('hex'), crc32: crc }
}

/**
 * Yields a stream's chunks.
 * @throws if the stream fails, or no bytes arrive for 30 seconds.
 */
async function* untilStalled(bytes: Readable): AsyncGenerator<Buffer, void> {
  const startTimer = () =>
    setTimeout(() => bytes.destroy(new Error('no data arrived in time')), stallMs)
  let timer = startTimer()
  try {
    for await (const chunk of bytes) {
      clearTimeout(timer)
      yield chunk
      timer = startTimer()
    }
  } finally {
    clearTimeout(timer)
  }
}

/**
 * Returns a part's MD5 in base64, converted from the hex in its ETag. The result is empty if the
 * ETag isn't an MD5, for instance when the bucket encrypts parts.
 */
function md5In(etag: string): { checksum?: string } {
  const hex = /^"?([\da-f]{32})"?$/i.exec(etag)?.[1]
  return hex === undefined ? {} : { checksum: Buffer.from(hex, 'hex').toString('base64') }
}

function* toStoredObject(objectKey: string, modifiedAt: Date): Generator<StoredObject> {
  const key = objectKey.slice(folder.length)
  if (isStorageKey(key)) yield { key, modifiedAt }
}
