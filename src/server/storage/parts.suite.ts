import { createHash, randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { checksums } from '../../../tests/support/make.ts'
import { type Sending, send } from '../../../tests/support/send.ts'
import {
  accepted,
  alterSignature,
  breakOffUpload,
  expectRefused,
  type OpenStorage,
  withSignatureOf,
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
    let opened: OpenStorage
    let storage: Storage
    beforeAll(async () => {
      opened = await open()
      storage = opened.storage
    })
    afterAll(() => opened.close())

    /** Creates a new upload: its bytes, and the grants for the whole file and for each part. */
    const upload = (size: number, changes: Partial<UploadGrant> = {}) => {
      const bytes = randomBytes(size)
      const whole: UploadGrant = {
        key: newStorageKey(),
        size,
        mimeType: 'text/plain',
        until: new Date(Date.now() + hour),
        ...changes,
      }
      const parts = Array.from({ length: Math.ceil(size / partSize) }, (_, index): PartGrant => {
        const offset = index * partSize
        const length = Math.min(partSize, size - offset)
        return { ...whole, partNumber: index + 1, offset, size: length }
      })
      return { bytes, whole, parts }
    }
    type Upload = ReturnType<typeof upload>

    const urlOf = async (part: PartGrant) => {
      const [url] = await storage.signParts([part])
      if (url === undefined) throw new Error('no URL')
      return url
    }
    const bytesOf = ({ bytes }: Upload, { offset, size }: PartGrant) =>
      bytes.subarray(offset, offset + size)
    const putPart = async (of: Upload, part: PartGrant, sending: Sending = {}) =>
      send(await urlOf(part), {
        method: 'PUT',
        body: bytesOf(of, part),
        ...sending,
        headers: { 'Content-Type': part.mimeType, ...sending.headers },
      })
    const putWhole = async ({ whole, bytes }: Upload, headers: Sending['headers'] = {}) =>
      send(await storage.signUpload(whole), {
        method: 'PUT',
        body: bytes,
        headers: { 'Content-Type': whole.mimeType, ...headers },
      })
    const part = ({ parts }: Upload, partNumber: number): PartGrant => {
      const found = parts[partNumber - 1]
      if (!found) throw new Error(`no part ${partNumber}`)
      return found
    }
    const sendParts = async (of: Upload, ...partNumbers: number[]) => {
      for (const partNumber of partNumbers) {
        expect(accepted).toContain((await putPart(of, part(of, partNumber))).status)
      }
    }
    const held = async ({ whole }: Upload) =>
      (await storage.listParts(whole.key)).map(({ partNumber }) => partNumber)
    const expectStored = async ({ whole, bytes }: Upload) => {
      const url = await storage.signDownload({
        ...whole,
        fileName: 'notes.txt',
        version: whole.key,
        createdAt: new Date('2025-07-12T10:20:30Z'),
      })
      const answer = await send(url)
      expect([answer.status, sha256(answer.body)]).toEqual([200, sha256(bytes)])
    }
    const seal = ({ whole }: Upload) => storage.seal(whole.key, whole.size)
    const checksumOf = (bytes: Buffer) => checksums[storage.checksum](bytes)
    const checksumHeader = (bytes: Buffer): Record<string, string> => {
      const name = storage.checksum === 'md5' ? 'Content-MD5' : 'x-amz-checksum-crc32'
      return { [name]: checksumOf(bytes) }
    }
    /** Returns the `listParts` entry expected for a part that this upload has sent. */
    const stored = (of: Upload, partNumber: number) => {
      const one = part(of, partNumber)
      return { partNumber, size: one.size, checksum: checksumOf(bytesOf(of, one)) }
    }

    it('accepts parts in any order', async () => {
      const of = upload(2 * partSize + 1000)
      await sendParts(of, 3, 1, 2)
      await seal(of)
      await expectStored(of)
    })

    it('accepts four parts at once, for several uploads', async () => {
      const uploads = [upload(3 * partSize + 1), upload(4 * partSize)]
      for (const of of uploads) {
        const answers = await Promise.all(of.parts.map((one) => putPart(of, one)))
        for (const { status } of answers) expect(accepted).toContain(status)
      }
      for (const of of uploads) {
        await seal(of)
        await expectStored(of)
      }
    })

    it('accepts a file of one part', async () => {
      const of = upload(1)
      await sendParts(of, 1)
      await seal(of)
      await expectStored(of)
    })

    it('signs many parts at once, in order', async () => {
      const of = upload(1)
      const parts = Array.from({ length: 100 }, (_, index) => {
        return { ...of.whole, partNumber: index + 1, offset: index }
      })
      const urls = await storage.signParts(parts)
      expect(urls).toHaveLength(100)
      expect(new Set(urls).size).toBe(100)
      const headers = { 'Content-Type': 'text/plain' }
      const answer = await send(urls[41] ?? '', { method: 'PUT', headers, body: of.bytes })
      expect(accepted).toContain(answer.status)
      expect(await held(of)).toEqual([42])
      expect(await storage.signParts([])).toEqual([])
    })

    it('lists stored parts by number, with the checksums of their bytes', async () => {
      const of = upload(2 * partSize + 1000)
      const { key, size } = of.whole
      expect(await storage.listParts(key)).toEqual([])
      await sendParts(of, 3)
      expect(await storage.listParts(key)).toEqual([stored(of, 3)])
      expect(await storage.storedSize(key)).toBe(1000)
      await sendParts(of, 1)
      expect(await held(of)).toEqual([1, 3])
      await sendParts(of, 2)
      expect(await storage.listParts(key)).toEqual([1, 2, 3].map((number) => stored(of, number)))
      expect(await storage.storedSize(key)).toBe(size)
      await seal(of)
      expect(await storage.listParts(key)).toEqual([])
      expect(await storage.storedSize(key)).toBe(size)
    })

    it('accepts a part again, and the last one counts', async () => {
      const of = upload(partSize + 1000)
      const other = { ...of, bytes: randomBytes(of.whole.size) }
      await sendParts(other, 1)
      expect(await storage.listParts(of.whole.key)).toEqual([stored(other, 1)])
      await sendParts(of, 2, 1)
      expect(await storage.listParts(of.whole.key)).toEqual([stored(of, 1), stored(of, 2)])
      await seal(of)
      await expectStored(of)
    })

    it.each([
      ['longer', 1],
      ['shorter', -1],
      ['empty', -1000],
    ])('rejects a part that is %s than signed, and keeps the stored one', async (_, by) => {
      const of = upload(partSize + 1000)
      await sendParts(of, 1, 2)
      expectRefused(await putPart(of, part(of, 2), { body: randomBytes(1000 + by) }))
      await seal(of)
      await expectStored(of)
    })

    it('rejects a type other than the signed one', async () => {
      const of = upload(1000)
      const headers = { 'Content-Type': 'text/html' }
      expect((await putPart(of, part(of, 1), { headers })).status).toBe(403)
      expect(await held(of)).toEqual([])
    })

    // The parts are small: a server may reject a large body and close the connection before all of
    // it is sent, and the test would miss the response.
    it('rejects an altered signature, key, number or size', async () => {
      const of = upload(1000)
      await sendParts(of, 1)
      const one = await urlOf(part(of, 1))
      const two = await urlOf({ ...part(of, 1), partNumber: 2, offset: 1000 })
      const shorter = await urlOf({ ...part(of, 1), size: 999 })
      const whole = await storage.signUpload(of.whole)
      const other = newStorageKey()
      const targets = [
        alterSignature(one),
        one.replace(of.whole.key, other),
        withSignatureOf(one, two),
        withSignatureOf(two, one),
        withSignatureOf(one, shorter),
        withSignatureOf(one, whole),
        withSignatureOf(whole, one),
      ]
      const headers = { 'Content-Type': 'text/plain' }
      const body = randomBytes(1000)
      for (const target of targets) {
        expect((await send(target, { method: 'PUT', headers, body })).status, target).toBe(403)
      }
      expect(await storage.storedSize(other)).toBeNull()
      expect(await held(of)).toEqual([1])
      await seal(of)
      await expectStored(of)
    })

    it('rejects an expired URL', async () => {
      const of = upload(1000, { until: new Date(Date.now() - hour) })
      expect((await putPart(of, part(of, 1))).status).toBe(403)
      expect(await held(of)).toEqual([])
    })

    it('permits nothing but uploading', async () => {
      const of = upload(1000)
      await sendParts(of, 1)
      const url = await urlOf(part(of, 1))
      expect((await send(url)).status).toBe(403)
      expectRefused(await send(url, { method: 'DELETE' }))
      await seal(of)
      await expectStored(of)
    })

    it('stores no part whose connection broke, and keeps the others', async () => {
      const of = upload(2 * partSize)
      await sendParts(of, 2)
      const headers = { 'Content-Type': 'text/plain', 'Content-Length': partSize }
      await breakOffUpload(await urlOf(part(of, 1)), headers)
      expect(await held(of)).toEqual([2])
      await sendParts(of, 1)
      await seal(of)
      await expectStored(of)
    })

    it('rejects sealing before all parts are stored, and continues the upload', async () => {
      const of = upload(2 * partSize + 1000)
      const missing = { name: 'SizeMismatch', expected: of.whole.size }
      await expect(seal(of)).rejects.toMatchObject({ ...missing, actual: null })
      await sendParts(of, 2, 3)
      await expect(seal(of)).rejects.toMatchObject({ ...missing, actual: partSize + 1000 })
      expect(await held(of)).toEqual([2, 3])
      await sendParts(of, 1)
      await expect(storage.seal(of.whole.key, of.whole.size + 1)).rejects.toThrow(SizeMismatch)
      await seal(of)
      await expectStored(of)
    })

    it('can be sealed twice, even concurrently', async () => {
      const of = upload(partSize + 1000)
      await sendParts(of, 2, 1)
      await seal(of)
      await Promise.all([seal(of), seal(of)])
      await expectStored(of)
    })

    it('accepts no parts after sealing', async () => {
      const of = upload(partSize + 1000)
      const url = await urlOf(part(of, 2))
      await sendParts(of, 1, 2)
      await seal(of)
      const headers = { 'Content-Type': 'text/plain' }
      expectRefused(await send(url, { method: 'PUT', headers, body: randomBytes(1000) }))
      await expectStored(of)
    })

    it('accepts no parts after removal, and keeps none', async () => {
      const of = upload(partSize + 1000)
      const url = await urlOf(part(of, 2))
      await sendParts(of, 1)
      opened.endUpload(of.whole.key)
      await storage.remove(of.whole.key)
      const headers = { 'Content-Type': 'text/plain' }
      expectRefused(await send(url, { method: 'PUT', headers, body: bytesOf(of, part(of, 2)) }))
      expect(await held(of)).toEqual([])
      expect(await storage.storedSize(of.whole.key)).toBeNull()
    })

    it('lists an upload once while its parts arrive', async () => {
      const of = upload(2 * partSize)
      await sendParts(of, 2, 1)
      const keys: string[] = []
      for await (const { key } of storage.list()) keys.push(key)
      expect(keys.filter((key) => key.startsWith(of.whole.key))).toEqual([of.whole.key])
    })

    it('accepts the whole file instead of parts', async () => {
      const of = upload(2 * partSize + 1000)
      await sendParts(of, 1, 3)
      expect(accepted).toContain((await putWhole(of)).status)
      await seal(of)
      await expectStored(of)
    })

    it('accepts parts instead of the whole file', async () => {
      const of = upload(2 * partSize + 1000)
      const other = { ...of, bytes: randomBytes(of.whole.size) }
      expect(accepted).toContain((await putWhole(other)).status)
      await sendParts(of, 3, 2, 1)
      expect(await held(of)).toEqual([1, 2, 3])
      await seal(of)
      await expectStored(of)
    })

    describe('a checksum header', () => {
      it('is accepted if it matches the body', async () => {
        const of = upload(1000)
        const headers = checksumHeader(of.bytes)
        expect(accepted).toContain((await putPart(of, part(of, 1), { headers })).status)
        const whole = upload(1000)
        expect(accepted).toContain((await putWhole(whole, checksumHeader(whole.bytes))).status)
        for (const done of [of, whole]) {
          await seal(done)
          await expectStored(done)
        }
      })

      it.each([
        ['the checksum of another body', () => checksumHeader(Buffer.from('another body'))],
        [
          'malformed',
          () =>
            Object.fromEntries(Object.keys(checksumHeader(Buffer.of())).map((name) => [name, '?'])),
        ],
      ])('is rejected if it is %s, and that body is discarded', async (_, wrong) => {
        const of = upload(partSize + 1000)
        await sendParts(of, 1)
        expectRefused(await putPart(of, part(of, 2), { headers: wrong() }))
        expect(await held(of)).toEqual([1])
        await sendParts(of, 2)
        await seal(of)
        await expectStored(of)
        const whole = upload(1000)
        expectRefused(await putWhole(whole, wrong()))
        expect((await storage.storedSize(whole.whole.key)) ?? 0).toBe(0)
        await expect(seal(whole)).rejects.toThrow(SizeMismatch)
      })
    })
  })
}

function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex')
}
