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
import { type Asks, reach, reachUnlessMissing } from './client.ts'

/** A multipart upload that is neither completed nor aborted. */
interface OpenUpload {
  /** The object's key in the bucket. */
  key: string
  uploadId: string
  /** Null where the bucket does not tell it, as SeaweedFS before 4.48. */
  begunAt: Date | null
}

/** A part that the bucket holds. Its size is in bytes. */
interface HeldPart {
  partNumber: number
  size: number
  etag: string
  /** Long ago where the bucket does not tell it. */
  arrivedAt: Date
}

/** What has arrived by one multipart upload. Only complete parts are listed. */
interface Arriving extends OpenUpload {
  /** In the order of their numbers. */
  parts: HeldPart[]
  /** The size of all parts together, in bytes. */
  size: number
  /** When the last part arrived. */
  changedAt: Date
}

/**
 * What a multipart upload is for: a file sent in one PUT, or a file sent in parts. Each use has a
 * multipart upload of its own, because some buckets, such as Ceph's, complete all parts of a
 * multipart upload or none. In a shared one, a whole file that was sent after some parts could not
 * be completed without those parts.
 */
type UploadUse = 'whole' | 'parts'

/**
 * `listOf` lists the open multipart uploads of a key. The one for whole files comes first, the one
 * for parts second. All servers see the list in the same order.
 */
const place = { whole: 0, parts: 1 } as const satisfies Record<UploadUse, number>

/** How many multipart uploads of a key are in use. */
const placesInUse = Object.keys(place).length
/**
 * How often `openFor` tries to give its multipart upload the right position in the list. Some
 * buckets give dates in whole seconds. Uploads of the same second are then sorted by their random
 * ids, so one try may not be enough.
 */
const maxTries = 20
/** An id that no multipart upload has. */
const noUpload = 'sealed'

/**
 * Handles the multipart uploads of a bucket. It finds them by asking the bucket and stores nothing
 * itself (decision 014). Keys are those of objects in the bucket. Functions throw {AppError}
 * UNAVAILABLE when the bucket does not answer as it should.
 * @param pageSize how many uploads or parts the bucket lists in one answer.
 */
export function openS3Multipart(asks: Asks, Bucket: string, pageSize: number) {
  /**
   * Lists every open multipart upload whose key begins with a prefix. Most buckets sort them by
   * key, SeaweedFS by id.
   */
  async function* list(Prefix: string, ask = asks.patient): AsyncGenerator<OpenUpload> {
    let from: Pick<ListMultipartUploadsCommandInput, 'KeyMarker' | 'UploadIdMarker'> | null = {}
    while (from) {
      const request = new ListMultipartUploadsCommand({
        Bucket,
        Prefix,
        MaxUploads: pageSize,
        ...from,
      })
      const page: ListMultipartUploadsCommandOutput = await reach(ask(request))
      for (const { Key, UploadId, Initiated } of page.Uploads ?? []) {
        if (Key && UploadId) yield { key: Key, uploadId: UploadId, begunAt: Initiated ?? null }
      }
      from = page.IsTruncated
        ? { KeyMarker: page.NextKeyMarker, UploadIdMarker: page.NextUploadIdMarker }
        : null
    }
  }

  /**
   * Lists the open multipart uploads of one key, oldest first, so that all callers choose the same
   * ones. Where the bucket tells no dates, they are in the order of their ids.
   */
  const listOf = async (key: string): Promise<OpenUpload[]> => {
    const open: OpenUpload[] = []
    for await (const upload of list(key, asks.prompt)) if (upload.key === key) open.push(upload)
    return open.toSorted(
      (a, b) =>
        (a.begunAt?.getTime() ?? 0) - (b.begunAt?.getTime() ?? 0) ||
        (a.uploadId < b.uploadId ? -1 : 1),
    )
  }

  const create = async (Key: string, ContentType: string): Promise<string> => {
    const request = new CreateMultipartUploadCommand({ Bucket, Key, ContentType })
    const { UploadId } = await reach(asks.prompt(request))
    if (!UploadId) throw new AppError('UNAVAILABLE', { cause: new Error('S3 gave no upload id') })
    return UploadId
  }

  const abort = async ({ key: Key, uploadId: UploadId }: Pick<OpenUpload, 'key' | 'uploadId'>) => {
    const request = new AbortMultipartUploadCommand({ Bucket, Key, UploadId })
    await reachUnlessMissing(asks.prompt(request))
  }

  /**
   * Returns the id of the multipart upload for this use. Presigned URLs send their bytes to it. If
   * there is none, this function begins one. The first multipart upload of a key is for whole
   * files. So a call for `parts` also begins that one if it is missing. If several servers do this
   * at the same moment, each lists the uploads again, and they usually choose the same one. If they
   * do not, parts that were sent to the wrong one are not listed, and clients send them again.
   *
   * Where the bucket tells no dates, an upload that is begun later can come first. So there all
   * uploads of a key are begun before the first id is returned.
   *
   * A sealed object gets no multipart upload, not even one that is still open because a server
   * stopped while it sealed. The bytes would stay in the bucket beside the object, because nobody
   * completes them. The id that is returned then belongs to no multipart upload, so that the bucket
   * answers a PUT with 404. `isSealed` is asked after the list was read: what a seal has completed
   * in the meantime is then seen.
   * @param isSealed asks the bucket whether it has the sealed object.
   */
  const openFor = async (
    use: UploadUse,
    key: string,
    mimeType: string,
    isSealed: () => Promise<boolean>,
  ): Promise<string> => {
    let open = await listOf(key)
    if (await isSealed()) return noUpload
    const begun = new Set<string>()
    let wanted = place[use] + 1
    for (let tries = 0; tries < maxTries; tries += 1) {
      const found = open[place[use]]
      if (found && open.length >= wanted) return found.uploadId
      const [before] = open
      const missing = Array.from({ length: wanted - open.length })
      for (const id of await Promise.all(missing.map(() => create(key, mimeType)))) begun.add(id)
      open = await listOf(key)
      const [first] = open
      if (first?.begunAt === null) wanted = placesInUse
      const isOthers = before !== undefined && !begun.has(before.uploadId)
      if (isOthers && first && begun.has(first.uploadId)) {
        // URLs for the whole file already lead to an older multipart upload. The new one was sorted
        // before it and would take its position. So the new one is aborted.
        await abort(first)
        open = open.slice(1)
      }
    }
    throw new AppError('UNAVAILABLE', { cause: new Error('the bucket does not list its uploads') })
  }

  /**
   * Reads which parts have arrived by one multipart upload; null when no part has arrived, or the
   * upload no longer exists.
   */
  const read = async (upload: OpenUpload): Promise<Arriving | null> => {
    const { key: Key, uploadId: UploadId } = upload
    const held = new Map<number, HeldPart>()
    // The client library's own paging would never end with Ceph, which names a next page on the
    // last page too.
    for (let from: string | undefined, more = true; more; ) {
      const next = { Bucket, Key, UploadId, PartNumberMarker: from }
      const request = new ListPartsCommand({ ...next, MaxParts: pageSize })
      const page: ListPartsCommandOutput | null = await reachUnlessMissing(asks.prompt(request))
      for (const { PartNumber = 0, Size = 0, ETag = '', LastModified } of page?.Parts ?? []) {
        const arrivedAt = LastModified ?? new Date(0)
        // SeaweedFS lists a part that was sent again as often as it was sent. The last one counts.
        if (arrivedAt < (held.get(PartNumber)?.arrivedAt ?? arrivedAt)) continue
        held.set(PartNumber, { partNumber: PartNumber, size: Size, etag: ETag, arrivedAt })
      }
      // SeaweedFS begins a page with the last part of the page before. A page of nothing else than
      // that part would follow itself for ever.
      more = page?.IsTruncated === true && page.NextPartNumberMarker !== from
      from = page?.NextPartNumberMarker
    }
    if (held.size === 0) return null
    const parts = [...held.values()].sort((a, b) => a.partNumber - b.partNumber)
    const size = parts.reduce((sum, part) => sum + part.size, 0)
    const changedAt = parts.reduce(
      (last, { arrivedAt }) => Math.max(last, arrivedAt.getTime()),
      upload.begunAt?.getTime() ?? 0,
    )
    return { ...upload, parts, size, changedAt: new Date(changedAt) }
  }

  return {
    list,
    listOf,
    openFor,
    abort,

    /**
     * Lists the parts that arrived by URLs for parts; none when no part has arrived, or the
     * multipart upload no longer exists.
     */
    async partsOf(key: string): Promise<HeldPart[]> {
      const upload = (await listOf(key))[place.parts]
      return (upload && (await read(upload)))?.parts ?? []
    },

    /**
     * Reads what has arrived by the open multipart uploads of one key. Only the first result
     * counts: the whole file or its parts, whichever arrived last. Some buckets give dates in whole
     * seconds, so two dates can be equal. Then the one with more bytes comes first.
     */
    async arrivingBy(open: readonly OpenUpload[]): Promise<Arriving[]> {
      const used = open.slice(0, placesInUse)
      const arriving = (await Promise.all(used.map(read))).filter((one) => one !== null)
      return arriving.toSorted(
        (a, b) => b.changedAt.getTime() - a.changedAt.getTime() || b.size - a.size,
      )
    },

    /**
     * Makes an object of all parts that were read. It does nothing when the multipart upload no
     * longer exists, or when a part was sent again since it was read.
     */
    async complete({ key: Key, uploadId: UploadId, parts }: Arriving): Promise<void> {
      const Parts = parts.map(({ partNumber, etag }) => ({ PartNumber: partNumber, ETag: etag }))
      const request = { Bucket, Key, UploadId, MultipartUpload: { Parts } }
      await reachUnlessMissing(asks.complete(new CompleteMultipartUploadCommand(request)))
    },
  }
}
