import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  type ListMultipartUploadsCommandInput,
  type ListMultipartUploadsCommandOutput,
  ListPartsCommand,
  type ListPartsCommandOutput,
  type Part,
  PutObjectCommand,
  paginateListObjectsV2,
  S3ServiceException,
  UploadPartCommand,
} from '@aws-sdk/client-s3'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import type { Clock } from '../deps.ts'
import { AppError } from '../errors.ts'
import type { S3Settings } from '../s3-settings.ts'
import { attachment, downloadCaching } from './attachment.ts'
import { checkBucket } from './s3-bucket.ts'
import { createS3Clients, originOf } from './s3-client.ts'
import { lifeOf, signPart } from './s3-signing.ts'
import {
  type DownloadGrant,
  type DownloadMethod,
  SizeMismatch,
  type Storage,
  type StoredObject,
  type UploadGrant,
} from './storage.ts'
import { isStorageKey } from './storage-key.ts'

/** A redirect is followed at once; a download that is resumed later asks the link again. */
const redirectLifetimeMs = 15 * 60_000
/** The whole file is one part (decision 013). */
const wholeFile = 1
const folder = 'files/'
const probeKey = 'check'

export interface S3StorageOptions {
  settings: S3Settings
  clock: Clock
}

export interface S3Storage extends Storage {
  /** The origin that browsers send bytes to and fetch them from. */
  publicOrigin(): Promise<string>
  /**
   * What in the bucket's set-up is in the way of pages of `origin`, or of keeping promises: one
   * sentence each, with the cure.
   */
  setupFaults(origin: string): Promise<string[]>
  /** Ends idle connections. */
  close(): Promise<void>
}

/** A multipart upload that is neither completed nor aborted. */
interface OpenUpload {
  key: string
  uploadId: string
  begunAt: Date
}

/** The bytes that have arrived under a key and are no object yet. */
interface Arriving {
  uploadId: string
  parts: Part[]
  /** Bytes, over all parts. */
  size: number
}

/**
 * The storage port on a bucket. An upload is a multipart upload, so that sealing is completing it:
 * from then on the presigned URLs of its parts name nothing, and the object is never written again.
 * Methods throw {AppError} UNAVAILABLE when the bucket does not answer as it should.
 */
export function openS3Storage({ settings, clock }: S3StorageOptions): S3Storage {
  const { bucket: Bucket } = settings
  const { own, signing } = createS3Clients(settings)
  const installation = { Bucket, Key: 'installation' }
  const at = (key: string) => ({ Bucket, Key: objectKey(key) })

  /** Multipart uploads below a prefix that are open. */
  async function* listUploads(Prefix: string): AsyncGenerator<OpenUpload> {
    let from: Pick<ListMultipartUploadsCommandInput, 'KeyMarker' | 'UploadIdMarker'> | null = {}
    while (from) {
      const list = new ListMultipartUploadsCommand({ Bucket, Prefix, ...from })
      const page: ListMultipartUploadsCommandOutput = await reach(own.send(list))
      for (const { Key, UploadId, Initiated } of page.Uploads ?? []) {
        if (Key && UploadId && Initiated) yield { key: Key, uploadId: UploadId, begunAt: Initiated }
      }
      from = page.IsTruncated
        ? { KeyMarker: page.NextKeyMarker, UploadIdMarker: page.NextUploadIdMarker }
        : null
    }
  }

  const uploadIdsOf = async (key: string): Promise<string[]> => {
    const uploads = await collect(listUploads(objectKey(key)))
    // Oldest first: whoever asks goes on with the same one.
    return uploads
      .toSorted((a, b) => a.begunAt.getTime() - b.begunAt.getTime())
      .map(({ uploadId }) => uploadId)
  }

  /** What has arrived by a multipart upload; null when nothing has, or it is over. */
  const readArriving = async (key: string, uploadId: string): Promise<Arriving | null> => {
    const parts: Part[] = []
    // Not the client library's own paging: it goes by the marker, which Ceph gives on the last
    // page too, and so never ends.
    for (let from: string | undefined, more = true; more; ) {
      const list = new ListPartsCommand({ ...at(key), UploadId: uploadId, PartNumberMarker: from })
      const page: ListPartsCommandOutput | null = await unlessMissing(own.send(list))
      parts.push(...(page?.Parts ?? []))
      from = page?.NextPartNumberMarker
      more = page?.IsTruncated === true
    }
    if (parts.length === 0) return null
    return { uploadId, parts, size: parts.reduce((sum, { Size = 0 }) => sum + Size, 0) }
  }

  const arrivingOf = async (key: string): Promise<Arriving[]> => {
    const uploadIds = await uploadIdsOf(key)
    const found = await Promise.all(uploadIds.map((uploadId) => readArriving(key, uploadId)))
    return found.filter((arriving) => arriving !== null)
  }

  const sealedSize = async (key: string): Promise<number | null> => {
    const found = await unlessMissing(own.send(new HeadObjectCommand(at(key))))
    return found ? (found.ContentLength ?? 0) : null
  }

  const abort = (key: string, UploadId: string) =>
    unlessMissing(own.send(new AbortMultipartUploadCommand({ ...at(key), UploadId })))

  const complete = async (key: string, { uploadId: UploadId, parts }: Arriving) => {
    const Parts = parts.map(({ PartNumber, ETag }) => ({ PartNumber, ETag }))
    const request = { ...at(key), UploadId, MultipartUpload: { Parts } }
    await unlessMissing(own.send(new CompleteMultipartUploadCommand(request)))
  }

  const openUpload = async ({ key, mimeType }: UploadGrant): Promise<string> => {
    const [open] = await uploadIdsOf(key)
    if (open !== undefined) return open
    const create = new CreateMultipartUploadCommand({ ...at(key), ContentType: mimeType })
    const { UploadId } = await reach(own.send(create))
    if (!UploadId) throw new AppError('UNAVAILABLE', { cause: new Error('S3 gave no upload id') })
    return UploadId
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

  return {
    name: 's3',

    async signUpload(grant) {
      const UploadId = await openUpload(grant)
      const part = { ...at(grant.key), UploadId, PartNumber: wholeFile, ContentLength: grant.size }
      return signPart(signing, new UploadPartCommand(part), grant, clock())
    },

    async storedSize(key) {
      // In this order, because bytes only ever move from arriving to sealed.
      const arriving = await arrivingOf(key)
      return (await sealedSize(key)) ?? largestOf(arriving)
    },

    async seal(key, size) {
      const before = await sealedSize(key)
      if (before === size) return
      if (before !== null) throw new SizeMismatch(size, before)
      const arriving = await arrivingOf(key)
      const whole = arriving.find((candidate) => candidate.size === size)
      if (whole) await complete(key, whole)
      // Another call may have sealed it meanwhile; and what was completed is believed when seen.
      const after = await sealedSize(key)
      if (after !== size) {
        // Bytes that were there and could not be completed are being sent anew: not there yet.
        throw new SizeMismatch(size, after ?? (whole ? null : largestOf(arriving)))
      }
      await Promise.all(
        arriving.filter((other) => other !== whole).map(({ uploadId }) => abort(key, uploadId)),
      )
    },

    async remove(key) {
      const uploadIds = await uploadIdsOf(key)
      await Promise.all(uploadIds.map((uploadId) => abort(key, uploadId)))
      await unlessMissing(own.send(new DeleteObjectCommand(at(key))))
    },

    async *list() {
      const pages = paginateListObjectsV2({ client: own }, { Bucket, Prefix: folder })
      const read = pages[Symbol.asyncIterator]()
      for (let page = await reach(read.next()); !page.done; page = await reach(read.next())) {
        for (const { Key = '', LastModified } of page.value.Contents ?? []) {
          if (LastModified) yield* ours(Key, LastModified)
        }
      }
      for await (const { key, begunAt } of listUploads(folder)) yield* ours(key, begunAt)
    },

    async deliver(grant, method) {
      const soon = clock().getTime() + redirectLifetimeMs
      const until = new Date(Math.min(soon, grant.until.getTime()))
      return { kind: 'redirect', url: await signDownload({ ...grant, until }, method) }
    },
    signDownload,

    async installation() {
      const found = await unlessMissing(own.send(new GetObjectCommand(installation)))
      return found?.Body ? await found.Body.transformToString() : null
    },

    async claim(text) {
      await reach(own.send(new PutObjectCommand({ ...installation, Body: text })))
    },

    async check() {
      await reach(own.send(new PutObjectCommand({ Bucket, Key: probeKey, Body: probeKey })))
      await reach(own.send(new DeleteObjectCommand({ Bucket, Key: probeKey })))
    },

    publicOrigin: () => originOf(signing, Bucket),
    setupFaults: (origin) => checkBucket(own, Bucket, origin),
    async close() {
      own.destroy()
      signing.destroy()
    },
  }
}

function objectKey(key: string): string {
  if (!isStorageKey(key)) throw new RangeError('not a storage key')
  return `${folder}${key}`
}

function* ours(objectKey: string, modifiedAt: Date): Generator<StoredObject> {
  const key = objectKey.slice(folder.length)
  if (isStorageKey(key)) yield { key, modifiedAt }
}

function largestOf(arriving: Arriving[]): number | null {
  return arriving.length === 0 ? null : Math.max(...arriving.map(({ size }) => size))
}

async function collect<T>(source: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const one of source) all.push(one)
  return all
}

async function reach<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer
  } catch (cause) {
    throw new AppError('UNAVAILABLE', { cause })
  }
}

/** `InvalidPart`: the part was sent anew since it was listed, so what was listed is gone. */
const missing = new Set(['NotFound', 'NoSuchKey', 'NoSuchUpload', 'InvalidPart'])

async function unlessMissing<T>(answer: Promise<T>): Promise<T | null> {
  try {
    return await answer
  } catch (cause) {
    if (cause instanceof S3ServiceException && missing.has(cause.name)) return null
    throw new AppError('UNAVAILABLE', { cause })
  }
}
