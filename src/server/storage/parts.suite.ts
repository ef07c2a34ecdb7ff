import { createHash, randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { checksums } from '../../../tests/support/make.ts'
import { type SendOptions, send } from '../../../tests/support/send.ts'
import {
  alterSignature,
  expectClientError,
  interruptUpload,
  type OpenStorage,
  successStatuses,
  withOtherSignature,
} from './storage.suite.ts'
import { type PartGrant, SizeMismatch, type Storage, type UploadGrant } from './storage.ts'
import { newStorageKey } from './storage-key.ts'

const hour = 3_600_000
/** S3 accepts smaller parts only at the end of a file. */
const partSize = 5 * 1024 * 1024

/**
 * Contract tests for uploads in parts, run against every storage driver. Presigned URLs are tested
 * with real HTTP requests. `open` must return a store that nothing else writes to.
 */
export function partsSuite(name: string, open: () => Promise<OpenStorage>): void {
  describe(`parts of the storage port: ${name}`, () => {
    let openedStorage: OpenStorage
    let storage: Storage
    beforeAll(async () => {
      openedStorage = await open()
      storage = openedStorage.storage
    })
    afterAll(() => openedStorage.close())

    /** Creates a new upload: its bytes, and the grants for the whole file and each part. */
    const makeUpload = (size: number, changes: Partial<UploadGrant> = {}) => {
      const bytes = randomBytes(size)
      const whole: UploadGrant = {
        key: newStorageKey(),
        size,
        mimeType: 'text/plain',
        expiresAt: new Date(Date.now() + hour),
        ...changes,
      }
      const parts = Array.from({ length: Math.ceil(size / partSize) }, (_, index): PartGrant => {
        const offset = index * partSize
        const length = Math.min(partSize, size - offset)
        return { ...whole, partNumber: index + 1, offset, size: length }
      })
      return { bytes, whole, parts }
    }
    type Upload = ReturnType<typeof makeUpload>

    const signUrl = async (part: PartGrant) => {
      const [url] = await storage.signParts([part])
      if (url === undefined) throw new Error('no URL')
      return url
    }
    const partBytes = ({ bytes }: Upload, { offset, size }: PartGrant) =>
      bytes.subarray(offset, offset + size)
    const putPart = async (upload: Upload, part: PartGrant, sendOptions: SendOptions = {}) =>
      send(await signUrl(part), {
        method: 'PUT',
        body: partBytes(upload, part),
        ...sendOptions,
        headers: { 'Content-Type': part.mimeType, ...sendOptions.headers },
      })
    const putWhole = async ({ whole, bytes }: Upload, headers: SendOptions['headers'] = {}) =>
      send(await storage.signUpload(whole), {
        method: 'PUT',
        body: bytes,
        headers: { 'Content-Type': whole.mimeType, ...headers },
      })
    const findPart = ({ parts }: Upload, partNumber: number): PartGrant => {
      const found = parts[partNumber - 1]
      if (!found) throw new Error(`no part ${partNumber}`)
      return found
    }
    const sendParts = async (upload: Upload, ...partNumbers: number[]) => {
      for (const partNumber of partNumbers) {
        expect(successStatuses).toContain(
          (await putPart(upload, findPart(upload, partNumber))).status,
        )
      }
    }
    const listPartNumbers = async ({ whole }: Upload) =>
      (await storage.listParts(whole.key)).map(({ partNumber }) => partNumber)
    const expectStored = async ({ whole, bytes }: Upload) => {
      const url = await openedStorage.downloadUrl({
        ...whole,
        fileName: 'notes.txt',
        version: whole.key,
        createdAt: new Date('2025-07-12T10:20:30Z'),
      })
      const response = await send(url)
      expect([response.status, sha256(response.body)]).toEqual([200, sha256(bytes)])
    }
    const seal = ({ whole }: Upload) => storage.seal(whole.key, whole.size)
    const computeChecksum = (bytes: Buffer) => checksums[storage.checksum](bytes)
    const checksumHeader = (bytes: Buffer): Record<string, string> => {
      const name = storage.checksum === 'md5' ? 'Content-MD5' : 'x-amz-checksum-crc32'
      return { [name]: computeChecksum(bytes) }
    }
    /** Returns the `listParts` entry expected for a part of this upload. */
    const expectedPart = (upload: Upload, partNumber: number) => {
      const part = findPart(upload, partNumber)
      return { partNumber, size: part.size, checksum: computeChecksum(partBytes(upload, part)) }
    }

    it('accepts four parts at once', async () => {
      const upload = makeUpload(3 * partSize + 1)
      const responses = await Promise.all(upload.parts.map((part) => putPart(upload, part)))
      for (const { status } of responses) expect(successStatuses).toContain(status)
      await seal(upload)
      await expectStored(upload)
    })

    it('signs many parts at once, in order', async () => {
      const upload = makeUpload(1)
      const parts = Array.from({ length: 100 }, (_, index) => {
        return { ...upload.whole, partNumber: index + 1, offset: index }
      })
      const urls = await storage.signParts(parts)
      expect(urls).toHaveLength(100)
      expect(new Set(urls).size).toBe(100)
      const headers = { 'Content-Type': 'text/plain' }
      const response = await send(urls[41] ?? '', { method: 'PUT', headers, body: upload.bytes })
      expect(successStatuses).toContain(response.status)
      expect(await listPartNumbers(upload)).toEqual([42])
      expect(await storage.signParts([])).toEqual([])
    })

    it('accepts parts in any order, and lists them by number with the checksums of their bytes', async () => {
      const upload = makeUpload(2 * partSize + 1000)
      const { key, size } = upload.whole
      expect(await storage.listParts(key)).toEqual([])
      await sendParts(upload, 3)
      expect(await storage.listParts(key)).toEqual([expectedPart(upload, 3)])
      expect(await storage.storedSize(key)).toBe(1000)
      await sendParts(upload, 1)
      expect(await listPartNumbers(upload)).toEqual([1, 3])
      await sendParts(upload, 2)
      expect(await storage.listParts(key)).toEqual(
        [1, 2, 3].map((number) => expectedPart(upload, number)),
      )
      expect(await storage.storedSize(key)).toBe(size)
      await seal(upload)
      expect(await storage.listParts(key)).toEqual([])
      expect(await storage.storedSize(key)).toBe(size)
      await expectStored(upload)
    })

    it('accepts a part again, and the last one counts', async () => {
      const upload = makeUpload(partSize + 1000)
      const otherUpload = { ...upload, bytes: randomBytes(upload.whole.size) }
      await sendParts(otherUpload, 1)
      expect(await storage.listParts(upload.whole.key)).toEqual([expectedPart(otherUpload, 1)])
      await sendParts(upload, 2, 1)
      expect(await storage.listParts(upload.whole.key)).toEqual([
        expectedPart(upload, 1),
        expectedPart(upload, 2),
      ])
      await seal(upload)
      await expectStored(upload)
    })

    it('rejects a part of another size than signed, and keeps the stored one', async () => {
      const upload = makeUpload(1000)
      await sendParts(upload, 1)
      for (const size of [1001, 999, 0]) {
        expectClientError(await putPart(upload, findPart(upload, 1), { body: randomBytes(size) }))
      }
      await seal(upload)
      await expectStored(upload)
    })

    it('rejects a type other than the signed one', async () => {
      const upload = makeUpload(1000)
      const headers = { 'Content-Type': 'text/html' }
      expect((await putPart(upload, findPart(upload, 1), { headers })).status).toBe(403)
      expect(await listPartNumbers(upload)).toEqual([])
    })

    // The parts are small, because a server may reject a large body and close the connection before
    // all of it is sent. The test would then miss the response.
    it('rejects an altered signature, key, number or size', async () => {
      const upload = makeUpload(1000)
      await sendParts(upload, 1)
      const url = await signUrl(findPart(upload, 1))
      const secondUrl = await signUrl({ ...findPart(upload, 1), partNumber: 2, offset: 1000 })
      const shorterUrl = await signUrl({ ...findPart(upload, 1), size: 999 })
      const wholeUrl = await storage.signUpload(upload.whole)
      const otherKey = newStorageKey()
      const targets = [
        alterSignature(url),
        url.replace(upload.whole.key, otherKey),
        withOtherSignature(url, secondUrl),
        withOtherSignature(secondUrl, url),
        withOtherSignature(url, shorterUrl),
        withOtherSignature(url, wholeUrl),
        withOtherSignature(wholeUrl, url),
      ]
      const headers = { 'Content-Type': 'text/plain' }
      const body = randomBytes(1000)
      for (const target of targets) {
        expect((await send(target, { method: 'PUT', headers, body })).status, target).toBe(403)
      }
      expect(await storage.storedSize(otherKey)).toBeNull()
      expect(await listPartNumbers(upload)).toEqual([1])
      await seal(upload)
      await expectStored(upload)
    })

    it('rejects an expired URL', async () => {
      const upload = makeUpload(1000, { expiresAt: new Date(Date.now() - hour) })
      expect((await putPart(upload, findPart(upload, 1))).status).toBe(403)
      expect(await listPartNumbers(upload)).toEqual([])
    })

    it('signs URLs that permit nothing but uploading', async () => {
      const upload = makeUpload(1000)
      await sendParts(upload, 1)
      const url = await signUrl(findPart(upload, 1))
      expect((await send(url)).status).toBe(403)
      expectClientError(await send(url, { method: 'DELETE' }))
      await seal(upload)
      await expectStored(upload)
    })

    it('stores no part whose connection broke, and keeps the others', async () => {
      const upload = makeUpload(2 * partSize)
      await sendParts(upload, 2)
      const headers = { 'Content-Type': 'text/plain', 'Content-Length': partSize }
      await interruptUpload(await signUrl(findPart(upload, 1)), headers)
      expect(await listPartNumbers(upload)).toEqual([2])
      await sendParts(upload, 1)
      await seal(upload)
      await expectStored(upload)
    })

    it('rejects sealing before all parts are stored, and continues the upload', async () => {
      const upload = makeUpload(2 * partSize + 1000)
      const sizeMismatch = { name: 'SizeMismatch', expected: upload.whole.size }
      await expect(seal(upload)).rejects.toMatchObject({ ...sizeMismatch, actual: null })
      await sendParts(upload, 2, 3)
      await expect(seal(upload)).rejects.toMatchObject({ ...sizeMismatch, actual: partSize + 1000 })
      expect(await listPartNumbers(upload)).toEqual([2, 3])
      await sendParts(upload, 1)
      await expect(storage.seal(upload.whole.key, upload.whole.size + 1)).rejects.toThrow(
        SizeMismatch,
      )
      await seal(upload)
      await expectStored(upload)
    })

    it('accepts no parts after sealing', async () => {
      const upload = makeUpload(partSize + 1000)
      const url = await signUrl(findPart(upload, 2))
      await sendParts(upload, 1, 2)
      await seal(upload)
      const headers = { 'Content-Type': 'text/plain' }
      expectClientError(await send(url, { method: 'PUT', headers, body: randomBytes(1000) }))
      await expectStored(upload)
    })

    it('accepts no parts after removal, and keeps none', async () => {
      const upload = makeUpload(partSize + 1000)
      const url = await signUrl(findPart(upload, 2))
      await sendParts(upload, 1)
      openedStorage.endUpload(upload.whole.key)
      await storage.remove(upload.whole.key)
      const headers = { 'Content-Type': 'text/plain' }
      expectClientError(
        await send(url, { method: 'PUT', headers, body: partBytes(upload, findPart(upload, 2)) }),
      )
      expect(await listPartNumbers(upload)).toEqual([])
      expect(await storage.storedSize(upload.whole.key)).toBeNull()
    })

    it('lists an upload once while its parts arrive', async () => {
      const upload = makeUpload(2 * partSize)
      await sendParts(upload, 2, 1)
      const keys: string[] = []
      for await (const { key } of storage.list()) keys.push(key)
      expect(keys.filter((key) => key.startsWith(upload.whole.key))).toEqual([upload.whole.key])
    })

    it('accepts the whole file instead of parts', async () => {
      const upload = makeUpload(2 * partSize + 1000)
      await sendParts(upload, 1, 3)
      expect(successStatuses).toContain((await putWhole(upload)).status)
      await seal(upload)
      await expectStored(upload)
    })

    it('accepts parts instead of the whole file', async () => {
      const upload = makeUpload(2 * partSize + 1000)
      const otherUpload = { ...upload, bytes: randomBytes(upload.whole.size) }
      expect(successStatuses).toContain((await putWhole(otherUpload)).status)
      await sendParts(upload, 3, 2, 1)
      expect(await listPartNumbers(upload)).toEqual([1, 2, 3])
      await seal(upload)
      await expectStored(upload)
    })

    describe('a checksum header', () => {
      it('is accepted if it matches the body', async () => {
        const upload = makeUpload(1000)
        const headers = checksumHeader(upload.bytes)
        expect(successStatuses).toContain(
          (await putPart(upload, findPart(upload, 1), { headers })).status,
        )
        const wholeUpload = makeUpload(1000)
        expect(successStatuses).toContain(
          (await putWhole(wholeUpload, checksumHeader(wholeUpload.bytes))).status,
        )
        for (const completeUpload of [upload, wholeUpload]) {
          await seal(completeUpload)
          await expectStored(completeUpload)
        }
      })

      it('is rejected if it is malformed or of another body, and that body is discarded', async () => {
        const anotherHeader = checksumHeader(Buffer.from('another body'))
        const malformedHeader = Object.fromEntries(
          Object.keys(anotherHeader).map((name) => [name, '?']),
        )
        const upload = makeUpload(1000)
        const wholeUpload = makeUpload(1000)
        for (const headers of [anotherHeader, malformedHeader]) {
          expectClientError(await putPart(upload, findPart(upload, 1), { headers }))
          expectClientError(await putWhole(wholeUpload, headers))
        }
        expect(await listPartNumbers(upload)).toEqual([])
        expect((await storage.storedSize(wholeUpload.whole.key)) ?? 0).toBe(0)
        await expect(seal(wholeUpload)).rejects.toThrow(SizeMismatch)
        await sendParts(upload, 1)
        await seal(upload)
        await expectStored(upload)
      })
    })
  })
}

function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex')
}
