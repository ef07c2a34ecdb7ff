import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  ListMultipartUploadsCommand,
  ListPartsCommand,
  S3ServiceException,
} from '@aws-sdk/client-s3'
import { beforeEach, describe, expect, it } from 'vitest'
import type { SendCommand } from './client.ts'
import { openS3Multipart } from './multipart.ts'

/**
 * A multipart upload in the simulated bucket. Tests set its date and id, which is impossible in a
 * real bucket. `s3.test.ts` covers the same with a real bucket.
 */
interface Upload {
  key: string
  uploadId: string
  begunAt: Date
  parts: { PartNumber: number; Size: number; ETag: string; LastModified?: Date }[]
}

const key = 'files/a'
const oneSecond = 1000

let uploads: Upload[]
/** The ids and dates that the next multipart uploads will get. */
let nextUploads: { uploadId: string; begunAt: number }[]
/** Whether the bucket's list includes new multipart uploads. */
let listsUploads: boolean
/** Called when a multipart upload is created. Simulates what other servers do at that moment. */
let onCreate: () => void
let completeRequests: CompleteMultipartUploadCommand['input'][]
let commandNames: string[]

beforeEach(() => {
  uploads = []
  nextUploads = []
  listsUploads = true
  onCreate = () => {}
  completeRequests = []
  commandNames = []
})

function upload(uploadId: string, begunAt: number, sizes: number[] = [], changedAt = begunAt) {
  const parts = sizes.map((Size, index) => ({
    PartNumber: index + 1,
    Size,
    ETag: `"${uploadId}-${index + 1}"`,
    LastModified: new Date(changedAt),
  }))
  return { key, uploadId, begunAt: new Date(begunAt), parts }
}

function s3Error(name: string) {
  return new S3ServiceException({ name, $fault: 'client', $metadata: {} })
}

function compareUploads(a: Upload, b: Upload) {
  return a.key < b.key ? -1 : a.key > b.key ? 1 : a.uploadId < b.uploadId ? -1 : 1
}

async function respond(command: object): Promise<object> {
  commandNames.push(command.constructor.name)
  if (command instanceof ListMultipartUploadsCommand) {
    const { Prefix = '', KeyMarker = '', UploadIdMarker = '', MaxUploads = 1000 } = command.input
    const remaining = uploads
      .filter((openUpload) => openUpload.key.startsWith(Prefix))
      .toSorted(compareUploads)
      .filter(
        (openUpload) =>
          `${openUpload.key} ${openUpload.uploadId}` > `${KeyMarker} ${UploadIdMarker}`,
      )
    const page = remaining.slice(0, MaxUploads)
    const lastUpload = page.at(-1)
    return {
      Uploads: page.map((openUpload) => ({
        Key: openUpload.key,
        UploadId: openUpload.uploadId,
        Initiated: openUpload.begunAt,
      })),
      IsTruncated: page.length < remaining.length,
      // Ceph returns a next-page marker even on the last page.
      NextKeyMarker: lastUpload?.key,
      NextUploadIdMarker: lastUpload?.uploadId,
    }
  }
  if (command instanceof CreateMultipartUploadCommand) {
    const { uploadId, begunAt } = nextUploads.shift() ?? {
      uploadId: `made-${commandNames.length}`,
      begunAt: 0,
    }
    const createdUpload = {
      key: command.input.Key ?? '',
      uploadId,
      begunAt: new Date(begunAt),
      parts: [],
    }
    if (listsUploads) uploads.push(createdUpload)
    onCreate()
    return { UploadId: uploadId }
  }
  if (command instanceof CompleteMultipartUploadCommand) {
    if (!uploads.some(({ uploadId }) => uploadId === command.input.UploadId)) {
      throw s3Error('NoSuchUpload')
    }
    completeRequests.push(command.input)
    return {}
  }
  if (command instanceof AbortMultipartUploadCommand) {
    const oldCount = uploads.length
    uploads = uploads.filter(({ uploadId }) => uploadId !== command.input.UploadId)
    if (uploads.length === oldCount) throw s3Error('NoSuchUpload')
    return {}
  }
  if (command instanceof ListPartsCommand) {
    const { UploadId, PartNumberMarker = '0', MaxParts = 1000 } = command.input
    const foundUpload = uploads.find(({ uploadId }) => uploadId === UploadId)
    if (!foundUpload) throw s3Error('NoSuchUpload')
    const remaining = foundUpload.parts.filter(
      ({ PartNumber }) => PartNumber > Number(PartNumberMarker),
    )
    const page = remaining.slice(0, MaxParts)
    const lastPartNumber = page.at(-1)?.PartNumber
    return {
      Parts: page,
      IsTruncated: page.length < remaining.length,
      ...(lastPartNumber !== undefined && { NextPartNumberMarker: String(lastPartNumber) }),
    }
  }
  throw new Error(`an unexpected ${command.constructor.name}`)
}

const send = respond as SendCommand
const senders = { interactive: send, complete: send, background: send }
function open(pageSize = 1000) {
  return openS3Multipart(senders, 'bucket', pageSize)
}

describe('the list of open multipart uploads', () => {
  it('contains each upload once, across all pages', async () => {
    uploads = Array.from({ length: 7 }, (_, n) => upload(`id-${n}`, n))
    for (const pageSize of [1, 3, 7, 8]) {
      const listedIds: string[] = []
      for await (const { uploadId } of open(pageSize).list('files/')) listedIds.push(uploadId)
      expect(listedIds).toEqual(uploads.map(({ uploadId }) => uploadId))
    }
  })

  it('of one key excludes keys that merely start with it', async () => {
    uploads = [upload('own', 0), { ...upload('other', 0), key: 'files/ab' }]
    expect((await open().listOf(key)).map(({ uploadId }) => uploadId)).toEqual(['own'])
  })

  it('fails if the bucket returns no dates', async () => {
    uploads = [{ ...upload('a', 0), begunAt: undefined as never }]
    await expect(open().listOf(key)).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  })

  it('of one key is sorted by date, then by id', async () => {
    uploads = [upload('a', 3), upload('c', 1), upload('b', 1), upload('d', 2)]
    const ids = (await open().listOf(key)).map(({ uploadId }) => uploadId)
    expect(ids).toEqual(['b', 'c', 'd', 'a'])
  })
})

async function notSealed() {
  return false
}

describe('openFor', () => {
  it('creates no multipart upload for a sealed object', async () => {
    const id = await open().openFor('whole', key, 'text/plain', async () => true)
    expect(id).toBe('sealed')
    expect(commandNames).not.toContain('CreateMultipartUploadCommand')
  })

  it('ignores an open multipart upload of a sealed object', async () => {
    uploads = [upload('whole', 1)]
    for (const use of ['whole', 'parts'] as const) {
      expect(await open().openFor(use, key, 'text/plain', async () => true)).toBe('sealed')
    }
    expect(commandNames).not.toContain('CreateMultipartUploadCommand')
  })

  it('reuses the existing multipart uploads', async () => {
    uploads = [upload('whole', 1), upload('parts', 2)]
    expect(await open().openFor('whole', key, 'text/plain', notSealed)).toBe('whole')
    expect(await open().openFor('parts', key, 'text/plain', notSealed)).toBe('parts')
    expect(commandNames).not.toContain('CreateMultipartUploadCommand')
  })

  it('creates a single multipart upload for a whole file', async () => {
    nextUploads = [{ uploadId: 'new', begunAt: 1 }]
    expect(await open().openFor('whole', key, 'text/plain', notSealed)).toBe('new')
    expect(uploads).toHaveLength(1)
  })

  it('uses the second multipart upload for parts, and creates both if there are none', async () => {
    nextUploads = [
      { uploadId: 'b', begunAt: 1 },
      { uploadId: 'a', begunAt: 1 },
    ]
    expect(await open().openFor('parts', key, 'text/plain', notSealed)).toBe('b')
    expect(await open().openFor('whole', key, 'text/plain', notSealed)).toBe('a')
    expect(uploads).toHaveLength(2)
  })

  it('keeps the existing multipart upload for whole files, even if new ones have the same date', async () => {
    // If dates are equal, the list is sorted by id: 'a' and 'b' come before the older upload 'm',
    // 'z' after it.
    uploads = [upload('m', oneSecond)]
    nextUploads = ['a', 'b', 'z'].map((uploadId) => ({ uploadId, begunAt: oneSecond }))
    expect(await open().openFor('parts', key, 'text/plain', notSealed)).toBe('z')
    expect(await open().openFor('whole', key, 'text/plain', notSealed)).toBe('m')
    expect(uploads.map(({ uploadId }) => uploadId)).toEqual(['m', 'z'])
  })

  it('returns the multipart upload that another server created first', async () => {
    nextUploads = [{ uploadId: 'ours', begunAt: 2 }]
    onCreate = () => uploads.push(upload('theirs', 1))
    expect(await open().openFor('whole', key, 'text/plain', notSealed)).toBe('theirs')
    // Neither server aborts the other's upload, because clients may already be sending to it.
    expect(uploads).toHaveLength(2)
  })

  it('fails if the bucket never lists the new multipart uploads', async () => {
    listsUploads = false
    await expect(open().openFor('whole', key, 'text/plain', notSealed)).rejects.toMatchObject({
      code: 'UNAVAILABLE',
    })
    const creations = commandNames.filter((name) => name === 'CreateMultipartUploadCommand')
    expect(creations).toHaveLength(20)
  })
})

describe('received bytes', () => {
  it('include every part, across all pages and in order', async () => {
    uploads = [upload('whole', 0), upload('parts', 1, [5, 5, 5, 5, 2])]
    for (const pageSize of [1, 2, 5, 6]) {
      const parts = await open(pageSize).readParts(key)
      expect(parts.map(({ partNumber, size }) => [partNumber, size])).toEqual([
        [1, 5],
        [2, 5],
        [3, 5],
        [4, 5],
        [5, 2],
      ])
    }
  })

  it('of a whole file are not listed as parts', async () => {
    uploads = [upload('whole', 0, [5])]
    expect(await open().readParts(key)).toEqual([])
  })

  it('exclude empty and ended multipart uploads', async () => {
    uploads = [upload('empty', 0)]
    const listedUploads = [...uploads, upload('gone', 1, [5])]
    expect(await open().readReceived(listedUploads)).toEqual([])
  })

  it('are sorted by date, so that the whole file or its parts come first, whichever was sent last', async () => {
    const whole = upload('whole', 0, [10], 5 * oneSecond)
    const parts = upload('parts', 0, [4, 4], 6 * oneSecond)
    uploads = [whole, parts]
    const ids = async () => (await open().readReceived(uploads)).map(({ uploadId }) => uploadId)
    expect(await ids()).toEqual(['parts', 'whole'])
    uploads = [upload('whole', 0, [10], 7 * oneSecond), parts]
    expect(await ids()).toEqual(['whole', 'parts'])
  })

  it('are sorted by size if the dates are equal', async () => {
    uploads = [upload('whole', 0, [4], oneSecond), upload('parts', 0, [4, 1], oneSecond)]
    const receivedUploads = await open().readReceived(uploads)
    expect(receivedUploads.map(({ uploadId, size }) => [uploadId, size])).toEqual([
      ['parts', 5],
      ['whole', 4],
    ])
  })

  it('have the start date of the upload if the bucket returns no dates of parts', async () => {
    const undatedUpload = upload('undated', 3 * oneSecond, [1])
    for (const part of undatedUpload.parts) Reflect.deleteProperty(part, 'LastModified')
    uploads = [undatedUpload]
    const [receivedUpload] = await open().readReceived(uploads)
    expect(receivedUpload?.changedAt).toEqual(new Date(3 * oneSecond))
  })

  it('are read only from the two multipart uploads in use', async () => {
    uploads = [upload('whole', 0, [1]), upload('parts', 1, [2]), upload('stray', 2, [9])]
    const receivedUploads = await open().readReceived(await open().listOf(key))
    expect(receivedUploads.map(({ uploadId }) => uploadId).sort()).toEqual(['parts', 'whole'])
  })
})

describe('completing and aborting', () => {
  it('identifies each part by its number and ETag', async () => {
    uploads = [upload('whole', 0, [5, 2])]
    const [receivedUpload] = await open().readReceived(uploads)
    if (receivedUpload) await open().complete(receivedUpload)
    expect(completeRequests).toMatchObject([
      {
        Key: key,
        UploadId: 'whole',
        MultipartUpload: {
          Parts: [
            { PartNumber: 1, ETag: '"whole-1"' },
            { PartNumber: 2, ETag: '"whole-2"' },
          ],
        },
      },
    ])
  })

  it('does nothing for a multipart upload that has already ended', async () => {
    const endedUpload = { ...upload('ended', 0), parts: [], size: 0, changedAt: new Date(0) }
    await open().complete(endedUpload)
    await open().abort(endedUpload)
    expect(completeRequests).toEqual([])
  })
})
