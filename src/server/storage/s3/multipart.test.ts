import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  ListMultipartUploadsCommand,
  ListPartsCommand,
  S3ServiceException,
} from '@aws-sdk/client-s3'
import { beforeEach, describe, expect, it } from 'vitest'
import type { Ask } from './client.ts'
import { openS3Multipart } from './multipart.ts'

/**
 * A multipart upload of the simulated bucket. The tests choose its dates and ids, which nobody can
 * choose in a real bucket. `s3.test.ts` proves the same with a real bucket.
 */
interface Upload {
  key: string
  uploadId: string
  begunAt: Date
  parts: { PartNumber: number; Size: number; ETag: string; LastModified?: Date }[]
}

const key = 'files/a'
const second = 1000

let uploads: Upload[]
/** The ids and dates that the next multipart uploads get. */
let next: { uploadId: string; begunAt: number }[]
/** Whether a new multipart upload appears in the list. */
let isListed: boolean
/** Whether the list tells when an upload was begun. SeaweedFS before 4.48 does not. */
let isDated: boolean
/**
 * Is called when a multipart upload is begun. It simulates what other servers do at the same
 * moment.
 */
let meanwhile: () => void
let completed: CompleteMultipartUploadCommand['input'][]
let asked: string[]

beforeEach(() => {
  uploads = []
  next = []
  isListed = true
  isDated = true
  meanwhile = () => {}
  completed = []
  asked = []
})

function upload(uploadId: string, begunAt: number, sizes: number[] = [], changedAt = begunAt) {
  const parts = sizes.map((Size, at) => ({
    PartNumber: at + 1,
    Size,
    ETag: `"${uploadId}-${at + 1}"`,
    LastModified: new Date(changedAt),
  }))
  return { key, uploadId, begunAt: new Date(begunAt), parts }
}

function fault(name: string) {
  return new S3ServiceException({ name, $fault: 'client', $metadata: {} })
}

function byKey(a: Upload, b: Upload) {
  return a.key < b.key ? -1 : a.key > b.key ? 1 : a.uploadId < b.uploadId ? -1 : 1
}

async function answer(command: object): Promise<object> {
  asked.push(command.constructor.name)
  if (command instanceof ListMultipartUploadsCommand) {
    const { Prefix = '', KeyMarker = '', UploadIdMarker = '', MaxUploads = 1000 } = command.input
    const after = uploads
      .filter((one) => one.key.startsWith(Prefix))
      .toSorted(byKey)
      .filter((one) => `${one.key} ${one.uploadId}` > `${KeyMarker} ${UploadIdMarker}`)
    const page = after.slice(0, MaxUploads)
    const last = page.at(-1)
    return {
      Uploads: page.map((one) => ({
        Key: one.key,
        UploadId: one.uploadId,
        ...(isDated && { Initiated: one.begunAt }),
      })),
      IsTruncated: page.length < after.length,
      // Ceph names a next page even on the last page.
      NextKeyMarker: last?.key,
      NextUploadIdMarker: last?.uploadId,
    }
  }
  if (command instanceof CreateMultipartUploadCommand) {
    const { uploadId, begunAt } = next.shift() ?? { uploadId: `made-${asked.length}`, begunAt: 0 }
    const made = { key: command.input.Key ?? '', uploadId, begunAt: new Date(begunAt), parts: [] }
    if (isListed) uploads.push(made)
    meanwhile()
    return { UploadId: uploadId }
  }
  if (command instanceof CompleteMultipartUploadCommand) {
    if (!uploads.some(({ uploadId }) => uploadId === command.input.UploadId)) {
      throw fault('NoSuchUpload')
    }
    completed.push(command.input)
    return {}
  }
  if (command instanceof AbortMultipartUploadCommand) {
    const before = uploads.length
    uploads = uploads.filter(({ uploadId }) => uploadId !== command.input.UploadId)
    if (uploads.length === before) throw fault('NoSuchUpload')
    return {}
  }
  if (command instanceof ListPartsCommand) {
    const { UploadId, PartNumberMarker = '0', MaxParts = 1000 } = command.input
    const found = uploads.find(({ uploadId }) => uploadId === UploadId)
    if (!found) throw fault('NoSuchUpload')
    const after = found.parts.filter(({ PartNumber }) => PartNumber > Number(PartNumberMarker))
    const page = after.slice(0, MaxParts)
    const last = page.at(-1)?.PartNumber
    return {
      Parts: page,
      IsTruncated: page.length < after.length,
      ...(last !== undefined && { NextPartNumberMarker: String(last) }),
    }
  }
  throw new Error(`an unexpected ${command.constructor.name}`)
}

const ask = answer as Ask
const asks = { prompt: ask, complete: ask, patient: ask }
function open(pageSize = 1000) {
  return openS3Multipart(asks, 'bucket', pageSize)
}

describe('the list of open multipart uploads', () => {
  it('is whole, over all pages, each once', async () => {
    uploads = Array.from({ length: 7 }, (_, n) => upload(`id-${n}`, n))
    for (const pageSize of [1, 3, 7, 8]) {
      const listed: string[] = []
      for await (const { uploadId } of open(pageSize).list('files/')) listed.push(uploadId)
      expect(listed).toEqual(uploads.map(({ uploadId }) => uploadId))
    }
  })

  it('of one key leaves out keys that only begin like it', async () => {
    uploads = [upload('own', 0), { ...upload('other', 0), key: 'files/ab' }]
    expect((await open().listOf(key)).map(({ uploadId }) => uploadId)).toEqual(['own'])
  })

  it('of one key is the oldest first, and at equal dates that with the lower id', async () => {
    uploads = [upload('a', 3), upload('c', 1), upload('b', 1), upload('d', 2)]
    const ids = (await open().listOf(key)).map(({ uploadId }) => uploadId)
    expect(ids).toEqual(['b', 'c', 'd', 'a'])
  })
})

describe('where the bucket tells no dates', () => {
  beforeEach(() => {
    isDated = false
  })

  it('the list has every upload, and those of one key by their ids', async () => {
    uploads = [upload('b', 1), upload('c', 2), upload('a', 3)]
    const listed: string[] = []
    for await (const { uploadId } of open(1).list('files/')) listed.push(uploadId)
    expect(listed.toSorted()).toEqual(['a', 'b', 'c'])
    const ofKey = await open().listOf(key)
    expect(ofKey.map(({ uploadId, begunAt }) => [uploadId, begunAt])).toEqual([
      ['a', null],
      ['b', null],
      ['c', null],
    ])
  })

  it('both uploads of a key are begun at once, so that none can take the place of another', async () => {
    next = ['m', 'a', 'b', 'z'].map((uploadId) => ({ uploadId, begunAt: 0 }))
    expect(await open().openFor('whole', key, 'text/plain', notSealed)).toBe('a')
    expect(await open().openFor('parts', key, 'text/plain', notSealed)).toBe('m')
    expect(await open().openFor('whole', key, 'text/plain', notSealed)).toBe('a')
    expect(asked.filter((name) => name === 'CreateMultipartUploadCommand')).toHaveLength(2)
    expect(asked).not.toContain('AbortMultipartUploadCommand')
  })

  it('the last part tells when something arrived', async () => {
    uploads = [upload('parts', 0, [4, 4], 6 * second), upload('whole', 0, [10], 5 * second)]
    const arriving = await open().arrivingBy(await open().listOf(key))
    expect(arriving.map(({ uploadId }) => uploadId)).toEqual(['parts', 'whole'])
  })
})

async function notSealed() {
  return false
}

describe('the multipart upload for a use', () => {
  it('is none, and none is begun, where the object is sealed', async () => {
    const id = await open().openFor('whole', key, 'text/plain', async () => true)
    expect(id).toBe('sealed')
    expect(asked).not.toContain('CreateMultipartUploadCommand')
  })

  it('is none where the object is sealed and an upload of it is still open', async () => {
    uploads = [upload('whole', 1)]
    for (const use of ['whole', 'parts'] as const) {
      expect(await open().openFor(use, key, 'text/plain', async () => true)).toBe('sealed')
    }
    expect(asked).not.toContain('CreateMultipartUploadCommand')
  })

  it('is that which is there, and none is begun', async () => {
    uploads = [upload('whole', 1), upload('parts', 2)]
    expect(await open().openFor('whole', key, 'text/plain', notSealed)).toBe('whole')
    expect(await open().openFor('parts', key, 'text/plain', notSealed)).toBe('parts')
    expect(asked).not.toContain('CreateMultipartUploadCommand')
  })

  it('of a whole file is begun once', async () => {
    next = [{ uploadId: 'new', begunAt: 1 }]
    expect(await open().openFor('whole', key, 'text/plain', notSealed)).toBe('new')
    expect(uploads).toHaveLength(1)
  })

  it('of parts is the second one: both are begun where there is none', async () => {
    next = [
      { uploadId: 'b', begunAt: 1 },
      { uploadId: 'a', begunAt: 1 },
    ]
    expect(await open().openFor('parts', key, 'text/plain', notSealed)).toBe('b')
    expect(await open().openFor('whole', key, 'text/plain', notSealed)).toBe('a')
    expect(uploads).toHaveLength(2)
  })

  it('leaves the whole file the one that its URLs lead to, even if dates are whole seconds', async () => {
    // The list is sorted by id. The uploads 'a' and 'b' come before the older upload 'm', and 'z'
    // comes after it.
    uploads = [upload('m', second)]
    next = ['a', 'b', 'z'].map((uploadId) => ({ uploadId, begunAt: second }))
    expect(await open().openFor('parts', key, 'text/plain', notSealed)).toBe('z')
    expect(await open().openFor('whole', key, 'text/plain', notSealed)).toBe('m')
    expect(uploads.map(({ uploadId }) => uploadId)).toEqual(['m', 'z'])
  })

  it('is the one of another server that began it first', async () => {
    next = [{ uploadId: 'ours', begunAt: 2 }]
    meanwhile = () => uploads.push(upload('theirs', 1))
    expect(await open().openFor('whole', key, 'text/plain', notSealed)).toBe('theirs')
    // Neither server aborts the other's upload, because a client may already be sending to it.
    expect(uploads).toHaveLength(2)
  })

  it('is given up when the bucket never lists what was begun', async () => {
    isListed = false
    await expect(open().openFor('whole', key, 'text/plain', notSealed)).rejects.toMatchObject({
      code: 'UNAVAILABLE',
    })
    const begun = asked.filter((name) => name === 'CreateMultipartUploadCommand')
    expect(begun).toHaveLength(20)
  })
})

describe('what has arrived', () => {
  it('is every part, over all pages, in the order of their numbers', async () => {
    uploads = [upload('whole', 0), upload('parts', 1, [5, 5, 5, 5, 2])]
    for (const pageSize of [1, 2, 5, 6]) {
      const parts = await open(pageSize).partsOf(key)
      expect(parts.map(({ partNumber, size }) => [partNumber, size])).toEqual([
        [1, 5],
        [2, 5],
        [3, 5],
        [4, 5],
        [5, 2],
      ])
    }
  })

  it('by URLs for parts is nothing where only a whole file arrives', async () => {
    uploads = [upload('whole', 0, [5])]
    expect(await open().partsOf(key)).toEqual([])
  })

  it('leaves out what is empty or has ended meanwhile', async () => {
    uploads = [upload('empty', 0)]
    const listed = [...uploads, upload('gone', 1, [5])]
    expect(await open().arrivingBy(listed)).toEqual([])
  })

  it('begins with what was sent last: the whole file or its parts', async () => {
    const whole = upload('whole', 0, [10], 5 * second)
    const parts = upload('parts', 0, [4, 4], 6 * second)
    uploads = [whole, parts]
    const ids = async () => (await open().arrivingBy(uploads)).map(({ uploadId }) => uploadId)
    expect(await ids()).toEqual(['parts', 'whole'])
    uploads = [upload('whole', 0, [10], 7 * second), parts]
    expect(await ids()).toEqual(['whole', 'parts'])
  })

  it('begins at equal dates with what has more bytes', async () => {
    uploads = [upload('whole', 0, [4], second), upload('parts', 0, [4, 1], second)]
    const arriving = await open().arrivingBy(uploads)
    expect(arriving.map(({ uploadId, size }) => [uploadId, size])).toEqual([
      ['parts', 5],
      ['whole', 4],
    ])
  })

  it('counts from its beginning where the bucket tells no date of a part', async () => {
    const undated = upload('undated', 3 * second, [1])
    for (const part of undated.parts) Reflect.deleteProperty(part, 'LastModified')
    uploads = [undated]
    const [arriving] = await open().arrivingBy(uploads)
    expect(arriving?.changedAt).toEqual(new Date(3 * second))
  })

  it('is looked for in the two that are in use, and in no third', async () => {
    uploads = [upload('whole', 0, [1]), upload('parts', 1, [2]), upload('stray', 2, [9])]
    const arriving = await open().arrivingBy(await open().listOf(key))
    expect(arriving.map(({ uploadId }) => uploadId).sort()).toEqual(['parts', 'whole'])
  })
})

describe('completing and aborting', () => {
  it('names each part by its number and its ETag', async () => {
    uploads = [upload('whole', 0, [5, 2])]
    const [arriving] = await open().arrivingBy(uploads)
    if (arriving) await open().complete(arriving)
    expect(completed).toMatchObject([
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

  it('of one that has ended already does nothing', async () => {
    const ended = { ...upload('ended', 0), parts: [], size: 0, changedAt: new Date(0) }
    await open().complete(ended)
    await open().abort(ended)
    expect(completed).toEqual([])
  })
})
