import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  ListMultipartUploadsCommand,
  type ListMultipartUploadsCommandInput,
  type ListMultipartUploadsCommandOutput,
  ListPartsCommand,
  type ListPartsCommandOutput,
} from '@aws-sdk/client-s3'
import { AppError } from '../../errors.ts'
import { type CommandSenders, nullIfNotFound, orUnavailable } from './client.ts'

/** A multipart upload that is neither completed nor aborted. */
interface OpenUpload {
  /** The object's key in the bucket. */
  key: string
  uploadId: string
  begunAt: Date
}

/** A part stored in the bucket. Its size is in bytes. */
interface UploadedPart {
  partNumber: number
  size: number
  etag: string
  /** When the part arrived, or the Unix epoch if the bucket doesn't return the date. */
  uploadedAt: Date
}

interface ReceivedUpload extends OpenUpload {
  /** Sorted by part number. */
  parts: UploadedPart[]
  /** The total size of the parts, in bytes. */
  size: number
  /** When the most recent part arrived. */
  changedAt: Date
}

/**
 * What a multipart upload is used for: a file sent in one PUT, or a file sent in parts. Each use
 * has a separate multipart upload, because some buckets, such as Ceph's, complete either all of a
 * multipart upload's parts or none. In a shared one, a whole file sent after some parts couldn't be
 * completed without those parts.
 */
type UploadUse = 'whole' | 'parts'

/**
 * Positions in the result of `listByKey`: first the multipart upload for whole files, then the one
 * for parts. All servers see the same order.
 */
const positions = { whole: 0, parts: 1 } as const satisfies Record<UploadUse, number>

const maxUploads = Object.keys(positions).length
/**
 * How many times `openFor` tries to get its multipart upload into the right position. If a bucket's
 * dates are whole seconds, uploads started in the same second are sorted by their random ids, so
 * one attempt may not be enough.
 */
const maxAttempts = 20
/** Stands for a sealed object's upload in URLs. Matches no multipart upload. */
const sealedUploadId = 'sealed'

/**
 * Manages a bucket's multipart uploads. Always queries the bucket and keeps no state (decision
 * 014). All keys are object keys in the bucket. Functions throw {AppError} UNAVAILABLE if a request
 * to the bucket fails.
 * @param pageSize the number of uploads or parts per list response.
 */
export function openS3Multipart(senders: CommandSenders, Bucket: string, pageSize: number) {
  /**
   * Lists all open multipart uploads whose keys have this prefix. Most buckets sort them by key,
   * SeaweedFS by id. SeaweedFS before 4.48 isn't supported: it returns no dates, so an abandoned
   * upload looks like a running one.
   */
  async function* list(Prefix: string, send = senders.background): AsyncGenerator<OpenUpload> {
    let marker: Pick<ListMultipartUploadsCommandInput, 'KeyMarker' | 'UploadIdMarker'> | null = {}
    while (marker) {
      const request = new ListMultipartUploadsCommand({
        Bucket,
        Prefix,
        MaxUploads: pageSize,
        ...marker,
      })
      const page: ListMultipartUploadsCommandOutput = await orUnavailable(send(request))
      for (const { Key, UploadId, Initiated } of page.Uploads ?? []) {
        if (!Key || !UploadId) continue
        if (!Initiated) throw unavailable('the bucket does not say when an upload began')
        yield { key: Key, uploadId: UploadId, begunAt: Initiated }
      }
      marker = page.IsTruncated
        ? { KeyMarker: page.NextKeyMarker, UploadIdMarker: page.NextUploadIdMarker }
        : null
    }
  }

  /**
   * Lists a key's open multipart uploads, oldest first, so that all callers choose the same
   * uploads.
   */
  const listByKey = async (key: string): Promise<OpenUpload[]> => {
    const open: OpenUpload[] = []
    for await (const upload of list(key, senders.interactive))
      if (upload.key === key) open.push(upload)
    return open.toSorted(
      (a, b) => a.begunAt.getTime() - b.begunAt.getTime() || (a.uploadId < b.uploadId ? -1 : 1),
    )
  }

  const create = async (Key: string, ContentType: string): Promise<string> => {
    const request = new CreateMultipartUploadCommand({ Bucket, Key, ContentType })
    const { UploadId } = await orUnavailable(senders.interactive(request))
    if (!UploadId) throw unavailable('the bucket returned no upload id')
    return UploadId
  }

  const abort = async ({ key: Key, uploadId: UploadId }: Pick<OpenUpload, 'key' | 'uploadId'>) => {
    const request = new AbortMultipartUploadCommand({ Bucket, Key, UploadId })
    await nullIfNotFound(senders.interactive(request))
  }

  /**
   * Returns the id of the multipart upload for this use, which becomes part of presigned URLs.
   * Creates the upload if it is missing. A key's first multipart upload is for whole files, so a
   * call for `parts` creates that one too if needed. If several servers do this concurrently, each
   * lists the uploads again, and they usually choose the same one. If they don't, parts sent to the
   * wrong one aren't listed, and clients send them again.
   *
   * For a sealed object, no multipart upload is created or reused, not even one left open by a
   * server that stopped while sealing. Such an upload would never be completed, so its bytes would
   * stay in the bucket next to the object. Instead, the returned id matches no multipart upload, so
   * the bucket answers a PUT with 404. `isSealed` is called after listing, to notice a seal
   * completed in the meantime.
   * @param isSealed checks whether the bucket has the sealed object.
   */
  const openFor = async (
    use: UploadUse,
    key: string,
    mimeType: string,
    isSealed: () => Promise<boolean>,
  ): Promise<string> => {
    let openUploads = await listByKey(key)
    if (await isSealed()) return sealedUploadId
    const createdIds = new Set<string>()
    const neededCount = positions[use] + 1
    for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
      const existingUpload = openUploads[positions[use]]
      if (existingUpload && openUploads.length >= neededCount) return existingUpload.uploadId
      const [firstBefore] = openUploads
      const missingSlots = Array.from({ length: neededCount - openUploads.length })
      for (const id of await Promise.all(missingSlots.map(() => create(key, mimeType))))
        createdIds.add(id)
      openUploads = await listByKey(key)
      const [first] = openUploads
      const isFromElsewhere = firstBefore !== undefined && !createdIds.has(firstBefore.uploadId)
      if (isFromElsewhere && first && createdIds.has(first.uploadId)) {
        // Whole-file URLs that have already been signed name an older multipart upload, but the new
        // one is sorted before it. Abort the new one so that the older one keeps its position.
        await abort(first)
        openUploads = openUploads.slice(1)
      }
    }
    throw unavailable('the bucket does not list its uploads')
  }

  /**
   * Reads a multipart upload's parts. Returns null if there are none, or if the upload no longer
   * exists.
   */
  const readUpload = async (upload: OpenUpload): Promise<ReceivedUpload | null> => {
    const { key: Key, uploadId: UploadId } = upload
    const partsByNumber = new Map<number, UploadedPart>()
    // The client library's own pagination would never end with Ceph, which returns a next-page
    // marker even on the last page.
    for (let marker: string | undefined, hasMore = true; hasMore; ) {
      const pageRequest = { Bucket, Key, UploadId, PartNumberMarker: marker }
      const request = new ListPartsCommand({ ...pageRequest, MaxParts: pageSize })
      const page: ListPartsCommandOutput | null = await nullIfNotFound(senders.interactive(request))
      for (const { PartNumber = 0, Size = 0, ETag = '', LastModified } of page?.Parts ?? []) {
        const arrivedAt = LastModified ?? new Date(0)
        // SeaweedFS lists a part once for each time it was sent. The most recent one counts.
        if (arrivedAt < (partsByNumber.get(PartNumber)?.uploadedAt ?? arrivedAt)) continue
        partsByNumber.set(PartNumber, {
          partNumber: PartNumber,
          size: Size,
          etag: ETag,
          uploadedAt: arrivedAt,
        })
      }
      // SeaweedFS starts each page with the previous page's last part. A page that contains only
      // that part would repeat forever.
      hasMore = page?.IsTruncated === true && page.NextPartNumberMarker !== marker
      marker = page?.NextPartNumberMarker
    }
    if (partsByNumber.size === 0) return null
    const parts = [...partsByNumber.values()].sort((a, b) => a.partNumber - b.partNumber)
    const size = parts.reduce((sum, part) => sum + part.size, 0)
    const changedAt = parts.reduce(
      (latest, { uploadedAt }) => Math.max(latest, uploadedAt.getTime()),
      upload.begunAt.getTime(),
    )
    return { ...upload, parts, size, changedAt: new Date(changedAt) }
  }

  return {
    list,
    listOf: listByKey,
    openFor,
    abort,

    /**
     * Lists the parts received through part URLs. Empty if there are none, or if the multipart
     * upload no longer exists.
     */
    async readParts(key: string): Promise<UploadedPart[]> {
      const upload = (await listByKey(key))[positions.parts]
      return (upload && (await readUpload(upload)))?.parts ?? []
    },

    /**
     * Reads the parts of a key's open multipart uploads. Only the first result counts: the whole
     * file or its parts, whichever was sent last. Dates in whole seconds can be equal. In that case
     * the larger upload comes first.
     */
    async readReceived(open: readonly OpenUpload[]): Promise<ReceivedUpload[]> {
      const usedUploads = open.slice(0, maxUploads)
      const receivedUploads = (await Promise.all(usedUploads.map(readUpload))).filter(
        (upload) => upload !== null,
      )
      return receivedUploads.toSorted(
        (a, b) => b.changedAt.getTime() - a.changedAt.getTime() || b.size - a.size,
      )
    },

    /**
     * Completes the multipart upload with the parts that were read. Does nothing if the multipart
     * upload no longer exists, or if a part has been sent again in the meantime.
     */
    async complete({ key: Key, uploadId: UploadId, parts }: ReceivedUpload): Promise<void> {
      const Parts = parts.map(({ partNumber, etag }) => ({ PartNumber: partNumber, ETag: etag }))
      const request = { Bucket, Key, UploadId, MultipartUpload: { Parts } }
      await nullIfNotFound(senders.complete(new CompleteMultipartUploadCommand(request)))
    },
  }
}

function unavailable(reason: string): AppError {
  return new AppError('UNAVAILABLE', { cause: new Error(reason) })
}
