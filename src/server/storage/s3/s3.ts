import { randomUUID } from 'node:crypto'
import type { Readable } from 'node:stream'
import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  PutObjectCommand,
  paginateListObjectsV2,
  type S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3'
import { Upload } from '@aws-sdk/lib-storage'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import type { Clock } from '../../deps.ts'
import type { S3Settings } from '../../s3-settings.ts'
import { attachment, downloadCaching } from '../attachment.ts'
import type { Validators } from '../byte-range.ts'
import { inKeyOrder } from '../in-key-order.ts'
import type { SealedObjects } from '../sealed-objects.ts'
import {
  type DownloadGrant,
  type DownloadMethod,
  type PartGrant,
  SizeMismatch,
  type Storage,
  type StoredObject,
  type UploadGrant,
} from '../storage.ts'
import { assertStorageKey, isStorageKey } from '../storage-key.ts'
import { reach, reachUnlessMissing } from './answers.ts'
import { checkBucket, clockDifferenceMs, keepsOldVersions } from './bucket.ts'
import { createS3Clients, originOf } from './client.ts'
import { openS3Multipart } from './multipart.ts'
import { ObjectDigests } from './object-digests.ts'
import { lifeOf, signPart } from './signing.ts'

/**
 * How long the URL of a redirect works. It cannot be revoked when the link ends early, so it lives
 * just long enough to be followed. A download that is resumed later asks the link again.
 */
const redirectLifetimeMs = 60_000
/**
 * The part number of a file that is sent in one PUT. Such a file is the only part of a multipart
 * upload of its own (decision 014).
 */
const wholeFile = 1
/**
 * When the server itself writes an object, it sends parts of at least `leastWritePart` bytes. S3
 * allows at most `mostWriteParts` parts.
 */
const leastWritePart = 8 * 1024 * 1024
const mostWriteParts = 10_000
const folder = 'files/'
/** The prefix of the keys of test objects. Each check writes an object under a new key. */
const probePrefix = 'check-'

export interface S3StorageOptions {
  settings: S3Settings
  clock: Clock
  /** Called with the client that makes the server's own requests. */
  watchS3?: ((client: S3Client) => void) | undefined
  /** How many objects, uploads or parts the bucket lists in one answer. Buckets allow 1000. */
  pageSize?: number
}

export interface S3Storage extends Storage, Omit<SealedObjects, keyof Storage> {
  /** Returns the origin at which browsers send bytes and get them. */
  publicOrigin(): Promise<string>
  /**
   * Lists faults in the bucket's set-up that hinder pages of `origin`, or that keep bytes which
   * were deleted. Each is one sentence with its cure.
   */
  setupFaults(origin: string): Promise<string[]>
  /** Closes idle connections. */
  close(): Promise<void>
}

/**
 * Opens a bucket as storage. Each upload is a multipart upload. Sealing completes it: after that
 * the presigned URLs of its parts no longer work, and the object is never written again. The bucket
 * itself compares each body with the MD5 that was sent with it. Methods throw {AppError}
 * UNAVAILABLE when the bucket does not answer as it should.
 */
export function openS3Storage({
  settings,
  clock,
  watchS3,
  pageSize = 1000,
}: S3StorageOptions): S3Storage {
  const { bucket: Bucket } = settings
  const { own, signing } = createS3Clients(settings)
  watchS3?.(own)
  const installation = { Bucket, Key: 'installation' }
  const uploads = openS3Multipart(own, Bucket, pageSize)
  const at = (key: string) => ({ Bucket, Key: objectKey(key) })
  const read = async (key: string) => {
    const found = await reachUnlessMissing(own.send(new GetObjectCommand(at(key))))
    return found?.Body ? (found.Body as Readable) : null
  }
  const digests = new ObjectDigests(read)

  const head = (key: string, options: { abortSignal?: AbortSignal } = {}) =>
    reachUnlessMissing(own.send(new HeadObjectCommand(at(key)), options))
  const sealedSize = async (key: string): Promise<number | null> => {
    const found = await head(key)
    return found ? (found.ContentLength ?? 0) : null
  }
  const openFor = (use: 'whole' | 'parts', { key, mimeType }: UploadGrant) =>
    uploads.openFor(use, objectKey(key), mimeType, async () => (await sealedSize(key)) !== null)
  const validatorsOf = async (
    key: string,
    abortSignal: AbortSignal,
  ): Promise<Validators | null> => {
    const { ETag, LastModified } = (await head(key, { abortSignal })) ?? {}
    return ETag && LastModified ? { etag: ETag, lastModified: LastModified } : null
  }

  const signUploadOf = (grant: UploadGrant, UploadId: string, PartNumber: number) => {
    const part = { ...at(grant.key), UploadId, PartNumber, ContentLength: grant.size }
    return signPart(signing, new UploadPartCommand(part), grant, clock())
  }

  const signDownload = (grant: DownloadGrant, method: DownloadMethod = 'GET') => {
    const request = {
      ...at(grant.key),
      ResponseContentDisposition: attachment(grant.fileName),
      ResponseContentType: grant.mimeType,
      ResponseCacheControl: downloadCaching,
    }
    const life = lifeOf(clock(), grant.until)
    return method === 'HEAD'
      ? getSignedUrl(signing, new HeadObjectCommand(request), life)
      : getSignedUrl(signing, new GetObjectCommand(request), life)
  }

  /** Lists the sealed objects. S3 gives them in the order of their keys. */
  async function* listSealed(): AsyncGenerator<StoredObject, void> {
    const pages = paginateListObjectsV2({ client: own, pageSize }, { Bucket, Prefix: folder })
    const read = pages[Symbol.asyncIterator]()
    for (let page = await reach(read.next()); !page.done; page = await reach(read.next())) {
      for (const { Key = '', LastModified } of page.value.Contents ?? []) {
        if (LastModified) yield* ours(Key, LastModified)
      }
    }
  }
  async function* listArriving(): AsyncGenerator<StoredObject, void> {
    let last = ''
    for await (const { key, begunAt } of uploads.list(folder)) {
      if (key !== last) yield* ours(key, begunAt)
      last = key
    }
  }

  return {
    name: 's3',
    checksum: 'md5',
    computesSha256: false,
    // A bucket has no limit of space that the server could ask for.
    promiseRoom: async () => true,
    room: async () => null,

    async signUpload(grant) {
      const uploadId = await openFor('whole', grant)
      return signUploadOf(grant, uploadId, wholeFile)
    },

    async signParts(parts: readonly PartGrant[]) {
      const [first] = parts
      if (!first) return []
      const uploadId = await openFor('parts', first)
      return Promise.all(parts.map((part) => signUploadOf(part, uploadId, part.partNumber)))
    },

    async listParts(key) {
      const parts = await uploads.partsOf(objectKey(key))
      return parts.map(({ partNumber, size, etag }) => ({ partNumber, size, ...md5In(etag) }))
    },

    async storedSize(key) {
      // The arriving bytes are looked for before the sealed ones. In the other order, bytes that
      // are sealed between both steps would be found in neither.
      const [counting] = await uploads.arrivingBy(await uploads.listOf(objectKey(key)))
      return (await sealedSize(key)) ?? counting?.size ?? null
    },

    async seal(key, size) {
      const open = await uploads.listOf(objectKey(key))
      const arriving = await uploads.arrivingBy(open)
      const before = await sealedSize(key)
      if (before !== null && before !== size) throw new SizeMismatch(size, before)
      const [counting] = arriving
      if (before === null) {
        if (counting?.size !== size) throw new SizeMismatch(size, counting?.size ?? null)
        await uploads.complete(counting)
        // `complete` does nothing if another call has completed the upload, or if a part was sent
        // again since it was listed. Only the size of the sealed object shows whether all bytes are
        // there.
        const after = await sealedSize(key)
        if (after !== size) throw new SizeMismatch(size, after)
      }
      // An upload that has every byte is kept: another call may be completing it now.
      const kept = arriving.filter((one) => one.size === size).map(({ uploadId }) => uploadId)
      const surplus = open.filter(({ uploadId }) => !kept.includes(uploadId))
      await Promise.all(surplus.map(uploads.abort))
      return null
    },

    sha256: (key) => digests.of(key),
    read,

    async write(key, size, bytes) {
      const partSize = Math.max(leastWritePart, Math.ceil(size / mostWriteParts))
      const params = { ...at(key), Body: bytes, ContentType: 'application/octet-stream' }
      await reach(new Upload({ client: own, params, partSize, queueSize: 2 }).done())
    },

    async removeLeftParts() {
      for await (const left of uploads.list(folder)) await uploads.abort(left)
    },

    async remove(key) {
      const open = await uploads.listOf(objectKey(key))
      await Promise.all(open.map(uploads.abort))
      await reachUnlessMissing(own.send(new DeleteObjectCommand(at(key))))
    },

    // A bucket answers a removal only when the removal is durable. So nothing is left to do.
    syncRemovals: async () => undefined,

    list: () => inKeyOrder(listSealed(), listArriving()),

    async deliver(grant, method) {
      const soon = clock().getTime() + redirectLifetimeMs
      const until = new Date(Math.min(soon, grant.until.getTime()))
      const url = await signDownload({ ...grant, until }, method)
      return { kind: 'redirect', url, validators: (signal) => validatorsOf(grant.key, signal) }
    },
    signDownload,

    async installation() {
      const found = await reachUnlessMissing(own.send(new GetObjectCommand(installation)))
      return found?.Body ? await found.Body.transformToString() : null
    },

    async claim(text) {
      await reach(own.send(new PutObjectCommand({ ...installation, Body: text })))
    },

    async check() {
      const text = randomUUID()
      const probe = { Bucket, Key: `${probePrefix}${text}` }
      await reach(own.send(new PutObjectCommand({ ...probe, Body: text })))
      try {
        const { Body } = await reach(own.send(new GetObjectCommand(probe)))
        if ((await Body?.transformToString()) !== text) {
          throw new Error('the bucket does not give back what was written')
        }
      } finally {
        await reach(own.send(new DeleteObjectCommand(probe)))
      }
    },
    keepsOldVersions: () => reach(keepsOldVersions(own, Bucket)),
    clockDifferenceMs: () => reach(clockDifferenceMs(own, Bucket, clock)),

    publicOrigin: () => originOf(signing, Bucket),
    setupFaults: (origin) => checkBucket(own, Bucket, origin, clock),
    async close() {
      own.destroy()
      signing.destroy()
    },
  }
}

function objectKey(key: string): string {
  assertStorageKey(key)
  return `${folder}${key}`
}

/**
 * Returns the MD5 of a part's bytes. S3 gives it as the part's ETag, in hexadecimal. The result is
 * empty where the ETag is no MD5, for instance when the bucket encrypts parts.
 */
function md5In(etag: string): { checksum?: string } {
  const hex = /^"?([\da-f]{32})"?$/i.exec(etag)?.[1]
  return hex === undefined ? {} : { checksum: Buffer.from(hex, 'hex').toString('base64') }
}

function* ours(objectKey: string, modifiedAt: Date): Generator<StoredObject> {
  const key = objectKey.slice(folder.length)
  if (isStorageKey(key)) yield { key, modifiedAt }
}
