import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  ListMultipartUploadsCommand,
  type ListMultipartUploadsCommandInput,
  type ListMultipartUploadsCommandOutput,
  ListPartsCommand,
  type ListPartsCommandOutput,
  type S3Client,
} from '@aws-sdk/client-s3'
import { AppError } from '../../errors.ts'
import { reach, unlessMissing } from './answers.ts'

/** A multipart upload that is neither completed nor aborted. */
interface OpenUpload {
  /** Of the object, in the bucket. */
  key: string
  uploadId: string
  begunAt: Date
}

/** A part that the bucket holds; size in bytes. */
interface HeldPart {
  partNumber: number
  size: number
  etag: string
}

/** What has arrived by one multipart upload; of parts only whole ones are listed. */
interface Arriving extends OpenUpload {
  /** By number. */
  parts: HeldPart[]
  /** Bytes, over all parts. */
  size: number
  /** When the last part arrived. */
  changedAt: Date
}

/**
 * What a multipart upload of a key is for. The whole file and its parts travel in two of them,
 * because a bucket such as Ceph's completes all parts or none: the whole file, sent after some
 * parts, could not be completed without them.
 */
type UploadUse = 'whole' | 'parts'

/** Which one, of those that are open for a key in the order that all agree on. */
const place = { whole: 0, parts: 1 } as const satisfies Record<UploadUse, number>

/** Where dates are whole seconds, two that begin within one sort as their random ids do. */
const maxTries = 20

/**
 * The multipart uploads of a bucket, found by asking it and written down nowhere (decision 014).
 * Keys are those of objects in the bucket. Functions throw {AppError} UNAVAILABLE when the bucket
 * does not answer as it should.
 */
export function openS3Multipart(client: S3Client, Bucket: string) {
  /** Every open one whose key begins with a prefix, sorted by key. */
  async function* list(Prefix: string): AsyncGenerator<OpenUpload> {
    let from: Pick<ListMultipartUploadsCommandInput, 'KeyMarker' | 'UploadIdMarker'> | null = {}
    while (from) {
      const request = new ListMultipartUploadsCommand({ Bucket, Prefix, ...from })
      const page: ListMultipartUploadsCommandOutput = await reach(client.send(request))
      for (const { Key, UploadId, Initiated } of page.Uploads ?? []) {
        if (Key && UploadId && Initiated) yield { key: Key, uploadId: UploadId, begunAt: Initiated }
      }
      from = page.IsTruncated
        ? { KeyMarker: page.NextKeyMarker, UploadIdMarker: page.NextUploadIdMarker }
        : null
    }
  }

  /** Those of one key: oldest first, so that whoever asks goes on with the same ones. */
  const listOf = async (key: string): Promise<OpenUpload[]> => {
    const open: OpenUpload[] = []
    for await (const upload of list(key)) if (upload.key === key) open.push(upload)
    return open.toSorted(
      (a, b) => a.begunAt.getTime() - b.begunAt.getTime() || (a.uploadId < b.uploadId ? -1 : 1),
    )
  }

  const create = async (Key: string, ContentType: string): Promise<string> => {
    const request = new CreateMultipartUploadCommand({ Bucket, Key, ContentType })
    const { UploadId } = await reach(client.send(request))
    if (!UploadId) throw new AppError('UNAVAILABLE', { cause: new Error('S3 gave no upload id') })
    return UploadId
  }

  const abort = async ({ key: Key, uploadId: UploadId }: Pick<OpenUpload, 'key' | 'uploadId'>) => {
    await unlessMissing(client.send(new AbortMultipartUploadCommand({ Bucket, Key, UploadId })))
  }

  /**
   * The id of the multipart upload that URLs for this use lead to; begun when there is none, together
   * with the one for the whole file where that is missing too. Several that are begun at once mostly
   * agree by looking again. Where they do not, parts that went to one that does not count are not
   * listed, and so are sent again.
   */
  const openFor = async (use: UploadUse, key: string, mimeType: string): Promise<string> => {
    let open = await listOf(key)
    for (let tries = 0; tries < maxTries; tries += 1) {
      const found = open[place[use]]
      if (found) return found.uploadId
      const [before] = open
      const missing = Array.from({ length: place[use] + 1 - open.length })
      const begun = await Promise.all(missing.map(() => create(key, mimeType)))
      open = await listOf(key)
      const [first] = open
      if (before && first && begun.includes(first.uploadId)) {
        // It came to lie before the one that the URL of the whole file leads to already.
        await abort(first)
        open = open.slice(1)
      }
    }
    throw new AppError('UNAVAILABLE', { cause: new Error('the bucket does not list its uploads') })
  }

  /** What has arrived by one; null when nothing has, or it is over. */
  const read = async (upload: OpenUpload): Promise<Arriving | null> => {
    const { key: Key, uploadId: UploadId } = upload
    const arriving: Arriving = { ...upload, parts: [], size: 0, changedAt: upload.begunAt }
    // Not the client library's own paging: it goes by the marker, which Ceph gives on the last
    // page too, and so never ends.
    for (let from: string | undefined, more = true; more; ) {
      const request = new ListPartsCommand({ Bucket, Key, UploadId, PartNumberMarker: from })
      const page: ListPartsCommandOutput | null = await unlessMissing(client.send(request))
      for (const { PartNumber = 0, Size = 0, ETag = '', LastModified } of page?.Parts ?? []) {
        arriving.parts.push({ partNumber: PartNumber, size: Size, etag: ETag })
        arriving.size += Size
        if (LastModified && LastModified > arriving.changedAt) arriving.changedAt = LastModified
      }
      from = page?.NextPartNumberMarker
      more = page?.IsTruncated === true
    }
    if (arriving.parts.length === 0) return null
    arriving.parts.sort((a, b) => a.partNumber - b.partNumber)
    return arriving
  }

  return {
    list,
    listOf,
    openFor,
    abort,

    /** The parts that URLs for parts led here; none when nothing has arrived, or it is over. */
    async partsOf(key: string): Promise<HeldPart[]> {
      const upload = (await listOf(key))[place.parts]
      return (upload && (await read(upload)))?.parts ?? []
    },

    /**
     * What has arrived by those that are open for one key, the one that counts first: the whole file
     * or its parts, whichever arrived last. Dates may be whole seconds: of two that are the same the
     * one with more bytes counts.
     */
    async arrivingBy(open: readonly OpenUpload[]): Promise<Arriving[]> {
      const used = open.slice(0, Object.keys(place).length)
      const arriving = (await Promise.all(used.map(read))).filter((one) => one !== null)
      return arriving.toSorted(
        (a, b) => b.changedAt.getTime() - a.changedAt.getTime() || b.size - a.size,
      )
    },

    /**
     * Makes all parts that were read an object. Nothing happens when the multipart upload is over,
     * or when a part was sent anew since it was read.
     */
    async complete({ key: Key, uploadId: UploadId, parts }: Arriving): Promise<void> {
      const Parts = parts.map(({ partNumber, etag }) => ({ PartNumber: partNumber, ETag: etag }))
      const request = { Bucket, Key, UploadId, MultipartUpload: { Parts } }
      await unlessMissing(client.send(new CompleteMultipartUploadCommand(request)))
    },
  }
}
