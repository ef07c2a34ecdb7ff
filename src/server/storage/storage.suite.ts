import { createHash, randomBytes } from 'node:crypto'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { crc32 } from 'node:zlib'
import { parse } from 'content-disposition'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type HttpResponse, type SendOptions, send } from '../../../tests/support/send.ts'
import {
  type DownloadGrant,
  type DownloadMethod,
  SizeMismatch,
  type Storage,
  type UploadGrant,
} from './storage.ts'
import { newStorageKey } from './storage-key.ts'

export interface OpenStorage {
  storage: Storage
  /** Returns a URL at which the store delivers the file. */
  downloadUrl(grant: DownloadGrant, method?: DownloadMethod): Promise<string>
  /** Marks the upload as ended, as the server does before removing its bytes. */
  endUpload(key: string): void
  close(): Promise<void>
}

const hour = 3_600_000
/** The statuses of a successful PUT (spec §7). */
export const successStatuses = [200, 204]

/**
 * Contract tests, run against every storage driver. Presigned URLs are tested with real HTTP
 * requests. `open` must return a store that nothing else writes to.
 */
export function storageSuite(name: string, open: () => Promise<OpenStorage>): void {
  describe(`storage port: ${name}`, () => {
    let openedStorage: OpenStorage
    let storage: Storage
    beforeAll(async () => {
      openedStorage = await open()
      storage = openedStorage.storage
    })
    afterAll(() => openedStorage.close())

    const upload = (size: number, changes: Partial<UploadGrant> = {}): UploadGrant => ({
      key: newStorageKey(),
      size,
      mimeType: 'text/plain',
      expiresAt: new Date(Date.now() + hour),
      ...changes,
    })
    const download = (grant: UploadGrant, changes: Partial<DownloadGrant> = {}): DownloadGrant => ({
      ...grant,
      fileName: 'notes.txt',
      version: grant.key,
      createdAt: new Date('2025-07-12T10:20:30Z'),
      ...changes,
    })
    const put = async (grant: UploadGrant, body: Buffer, sendOptions: SendOptions = {}) =>
      send(await storage.signUpload(grant), {
        method: 'PUT',
        body,
        ...sendOptions,
        headers: { 'Content-Type': grant.mimeType, ...sendOptions.headers },
      })
    const get = async (grant: DownloadGrant, headers: SendOptions['headers'] = {}) =>
      send(await openedStorage.downloadUrl(grant), { headers })

    /** Uploads and seals the bytes. */
    const store = async (bytes: Buffer, changes: Partial<UploadGrant> = {}) => {
      const grant = upload(bytes.length, changes)
      expect(successStatuses).toContain((await put(grant, bytes)).status)
      await storage.seal(grant.key, bytes.length)
      return grant
    }
    const listKeys = async () => {
      const keys: string[] = []
      for await (const { key } of storage.list()) keys.push(key)
      return keys
    }

    it('has space for one byte', async () => {
      expect(await storage.hasSpaceFor(1)).toBe(true)
    })

    describe('a signed upload', () => {
      it('accepts the whole file in one PUT', async () => {
        const grant = upload(5)
        expect(await storage.storedSize(grant.key)).toBeNull()
        expect(successStatuses).toContain((await put(grant, Buffer.from('hello'))).status)
        expect(await storage.storedSize(grant.key)).toBe(5)
      })

      it('accepts an empty file', async () => {
        const grant = await store(Buffer.alloc(0))
        expect(await storage.storedSize(grant.key)).toBe(0)
        const response = await get(download(grant))
        expect([response.status, response.body.length]).toEqual([200, 0])
      })

      it('can be repeated until it is sealed, and the last one counts', async () => {
        const grant = upload(5)
        await put(grant, Buffer.from('hello'))
        expect(successStatuses).toContain((await put(grant, Buffer.from('world'))).status)
        await storage.seal(grant.key, 5)
        expect((await get(download(grant))).body.toString()).toBe('world')
      })

      it('rejects a body of another size than signed, and keeps the stored bytes', async () => {
        const grant = upload(5)
        await put(grant, Buffer.from('first'))
        for (const body of ['longer', 'less', '']) {
          expectClientError(await put(grant, Buffer.from(body)))
        }
        await storage.seal(grant.key, 5)
        expect((await get(download(grant))).body.toString()).toBe('first')
      })

      it('rejects a type other than the signed one, and stores nothing', async () => {
        const grant = upload(5)
        const headers = { 'Content-Type': 'text/html' }
        expect((await put(grant, Buffer.from('hello'), { headers })).status).toBe(403)
        expect(await storage.storedSize(grant.key)).toBeNull()
      })

      it('rejects an altered signature, key or size, and keeps the stored bytes', async () => {
        const grant = upload(5)
        await put(grant, Buffer.from('first'))
        const url = await storage.signUpload(grant)
        const largerUrl = await storage.signUpload({ ...grant, size: 6 })
        const alteredRequests: [string, string][] = [
          [alterSignature(url), 'other'],
          [url.replace(grant.key, newStorageKey()), 'other'],
          [withOtherSignature(largerUrl, url), 'others'],
          [withOtherSignature(url, largerUrl), 'other'],
        ]
        for (const [target, body] of alteredRequests) {
          const headers = { 'Content-Type': grant.mimeType }
          const response = await send(target, { method: 'PUT', headers, body })
          expect(response.status, target).toBe(403)
        }
        await storage.seal(grant.key, 5)
        expect((await get(download(grant))).body.toString()).toBe('first')
      })

      it('rejects an expired URL', async () => {
        const grant = upload(5, { expiresAt: new Date(Date.now() - hour) })
        expect((await put(grant, Buffer.from('hello'))).status).toBe(403)
        expect(await storage.storedSize(grant.key)).toBeNull()
      })

      it('permits nothing but uploading', async () => {
        const grant = upload(5)
        await put(grant, Buffer.from('hello'))
        const url = await storage.signUpload(grant)
        expect((await send(url)).status).toBe(403)
        expectClientError(await send(url, { method: 'DELETE' }))
        expect(await storage.storedSize(grant.key)).toBe(5)
      })

      it('cannot be sealed until it has arrived completely', async () => {
        const grant = upload(1000)
        const url = await storage.signUpload(grant)
        await interruptUpload(url, { 'Content-Type': 'text/plain', 'Content-Length': 1000 })
        await expect(storage.seal(grant.key, 1000)).rejects.toThrow(SizeMismatch)
        const bytes = randomBytes(1000)
        expect(successStatuses).toContain((await put(grant, bytes)).status)
        await storage.seal(grant.key, 1000)
        expect((await get(download(grant))).body.equals(bytes)).toBe(true)
      })
    })

    describe('seal', () => {
      it('returns the CRC-32, or null if the store does not know it', async () => {
        for (const bytes of [randomBytes(100_000), Buffer.alloc(0)]) {
          const grant = upload(bytes.length)
          await put(grant, bytes)
          expect([crc32(bytes), null]).toContain(await storage.seal(grant.key, bytes.length))
        }
      })

      it('succeeds twice, even concurrently', async () => {
        const grant = await store(Buffer.from('hello'))
        await storage.seal(grant.key, 5)
        await Promise.all([storage.seal(grant.key, 5), storage.seal(grant.key, 5)])
        expect(await storage.storedSize(grant.key)).toBe(5)
      })

      it('reports a wrong size or a missing object, and changes nothing', async () => {
        const grant = upload(5)
        const missingObjectError = { name: 'SizeMismatch', expected: 5, actual: null }
        await expect(storage.seal(grant.key, 5)).rejects.toMatchObject(missingObjectError)
        await put(grant, Buffer.from('hello'))
        const wrongSizeError = { name: 'SizeMismatch', expected: 6, actual: 5 }
        await expect(storage.seal(grant.key, 6)).rejects.toMatchObject(wrongSizeError)
        await storage.seal(grant.key, 5)
        await expect(storage.seal(grant.key, 6)).rejects.toMatchObject(wrongSizeError)
        expect((await get(download(grant))).body.toString()).toBe('hello')
      })

      it('keeps presigned URLs from changing the bytes', async () => {
        const grant = await store(Buffer.from('hello'))
        await put(grant, Buffer.from('other'))
        expect((await get(download(grant))).body.toString()).toBe('hello')
        expect(await storage.storedSize(grant.key)).toBe(5)
      })
    })

    describe('digest', () => {
      it('returns the checksums of the sealed bytes, also to concurrent callers', async () => {
        const bytes = randomBytes(3_000_000)
        const [one, empty] = [await store(bytes), await store(Buffer.alloc(0))]
        const digests = [one, one, empty].map(({ key }) => storage.digest(key))
        const expectedDigests = [bytes, bytes, Buffer.alloc(0)].map((content) => ({
          sha256: sha256(content),
          crc32: crc32(content),
        }))
        expect(await Promise.all(digests)).toEqual(expectedDigests)
        expect(await storage.digest(one.key)).toEqual(expectedDigests[0])
      })

      it('returns null if nothing is sealed', async () => {
        const grant = upload(5)
        expect(await storage.digest(grant.key)).toBeNull()
        await put(grant, Buffer.from('hello'))
        expect(await storage.digest(grant.key)).toBeNull()
        await storage.seal(grant.key, 5)
        await storage.remove(grant.key)
        expect(await storage.digest(grant.key)).toBeNull()
      })
    })

    describe('a download', () => {
      const text = Buffer.from('0123456789')
      let grant: DownloadGrant
      beforeAll(async () => {
        grant = download(await store(text))
      })

      it('answers with the bytes and their headers', async () => {
        const response = await get(grant)
        expect(response.status).toBe(200)
        expect(response.body.equals(text)).toBe(true)
        expect(response.headers).toMatchObject({
          'content-type': 'text/plain',
          'content-length': '10',
          'accept-ranges': 'bytes',
        })
        expect(response.headers.etag).toMatch(/^"[^"]+"$/)
      })

      it('replaces a type that a browser would run', async () => {
        const response = await get({ ...grant, mimeType: 'text/javascript' })
        expect([response.status, response.headers['content-type']]).toEqual([
          200,
          'application/octet-stream',
        ])
      })

      it('answers HEAD like GET but without a body', async () => {
        const headResponse = await send(await openedStorage.downloadUrl(grant, 'HEAD'), {
          method: 'HEAD',
        })
        const wholeResponse = await get(grant)
        expect([headResponse.status, headResponse.body.length]).toEqual([200, 0])
        const headerNames = ['content-length', 'content-type', 'content-disposition', 'etag']
        for (const name of headerNames)
          expect(headResponse.headers[name], name).toBe(wholeResponse.headers[name])
      })

      it.each([
        ['bytes=2-4', '234', 'bytes 2-4/10'],
        ['bytes=7-', '789', 'bytes 7-9/10'],
        ['bytes=-2', '89', 'bytes 8-9/10'],
        ['bytes=8-1000', '89', 'bytes 8-9/10'],
        ['bytes=0-0', '0', 'bytes 0-0/10'],
      ])('answers %s with a partial response', async (range, part, contentRange) => {
        const response = await get(grant, { Range: range })
        expect(response.status).toBe(206)
        expect(response.body.toString()).toBe(part)
        expect(response.headers['content-range']).toBe(contentRange)
        expect(response.headers['content-length']).toBe(String(part.length))
      })

      it('answers an out-of-bounds range with 416', async () => {
        expect((await get(grant, { Range: 'bytes=10-' })).status).toBe(416)
      })

      it('answers 304 if the client already has the bytes, by their strong ETag', async () => {
        const { etag = '' } = (await get(grant)).headers
        const notModifiedResponse = await get(grant, { 'If-None-Match': etag })
        expect([notModifiedResponse.status, notModifiedResponse.body.length]).toEqual([304, 0])
        expect((await get(grant, { 'If-None-Match': '"another"' })).status).toBe(200)
      })

      it.each([
        'plain.txt',
        'two words.tar.gz',
        'quote".txt',
        "it's; filename=evil.exe",
        'percent %41.txt',
        'back\\slash.txt',
        'ملف عربي.pdf',
        'naïve café.doc',
        '😀 smile.png',
        'a+b&c=d#e?f.txt',
        `${'long'.repeat(60)}.txt`,
      ])('sends the name %s exactly, and in ASCII', async (fileName) => {
        const header = (await get({ ...grant, fileName })).headers['content-disposition'] ?? ''
        expect(header).toMatch(/^attachment; filename=.+; filename\*=UTF-8''[\w%.~!$&+^`|-]+$/)
        expect(header).toMatch(/^[\x20-\x7e]+$/)
        expect(parse(header).parameters.filename).toBe(fileName)
      })

      it('answers 403 or 404 for a missing object', async () => {
        const response = await get({ ...grant, key: newStorageKey() })
        expect([403, 404]).toContain(response.status)
      })
    })

    describe('sendRange', () => {
      let origin: string
      let key = ''
      const sentCounts: number[] = []
      const errors: unknown[] = []
      const server = createServer(async (incoming, response) => {
        const [start = 0, end = 0] = (incoming.url ?? '').slice(1).split('-').map(Number)
        const controller = new AbortController()
        response.once('close', () => controller.abort())
        response.write('>')
        try {
          await storage.sendRange(
            key,
            { start, end },
            {
              response,
              onSent: (count) => sentCounts.push(count),
              disconnected: controller.signal,
            },
          )
          response.end('<')
        } catch (error) {
          errors.push(error)
          response.destroy()
        }
      })
      beforeAll(async () => {
        await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
        origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
      })
      afterAll(() => new Promise((resolve) => server.close(resolve)))

      it('sends exactly the range', async () => {
        const bytes = randomBytes(3_000_000)
        key = (await store(bytes)).key
        for (const [start, end] of [
          [0, bytes.length - 1],
          [0, 0],
          [1_000_000, 2_500_000],
          [bytes.length - 1, bytes.length - 1],
        ] as const) {
          sentCounts.length = 0
          const { body } = await send(`${origin}/${start}-${end}`)
          const range = bytes.subarray(start, end + 1)
          expect(body.equals(Buffer.concat([Buffer.from('>'), range, Buffer.from('<')]))).toBe(true)
          expect(sentCounts.reduce((sum, count) => sum + count)).toBe(range.length)
        }
        expect(errors).toEqual([])
      })

      it('rejects for a missing object and for a range after its end', async () => {
        key = newStorageKey()
        await expect(send(`${origin}/0-4`)).rejects.toThrow()
        expect(errors.splice(0)).toMatchObject([{ code: 'LINK_NOT_FOUND' }])
        key = (await store(Buffer.from('hello'))).key
        for (const range of ['0-5', '4-5', '5-5']) {
          await expect(send(`${origin}/${range}`)).rejects.toThrow()
        }
        expect(errors.splice(0)).toHaveLength(3)
      })

      it('resolves when the client disconnects', async () => {
        const bytes = Buffer.alloc(24 * 1024 * 1024, 'bytes')
        key = (await store(bytes)).key
        const ended = new Promise<void>((resolve) =>
          server.once('request', (_, response) => response.once('close', resolve)),
        )
        const client = request(`${origin}/0-${bytes.length - 1}`, { agent: false })
        client.on('error', () => undefined)
        client.on('response', (response) => response.once('data', () => client.destroy()))
        client.end()
        await ended
        expect((await send(`${origin}/0-4`)).body.subarray(1, 6)).toEqual(bytes.subarray(0, 5))
        expect(errors).toEqual([])
      })
    })

    describe('remove and list', () => {
      it('removes sealed, unsealed and missing objects, even twice', async () => {
        const sealedFile = await store(Buffer.from('hello'))
        const unsealedUpload = upload(5)
        await put(unsealedUpload, Buffer.from('hello'))
        const keys = [sealedFile.key, unsealedUpload.key, newStorageKey()]
        for (const key of keys) {
          await storage.remove(key)
          await storage.remove(key)
          expect(await storage.storedSize(key)).toBeNull()
        }
        await storage.syncRemovals(keys)
        expect([403, 404]).toContain((await get(download(sealedFile))).status)
      })

      it('invalidates upload URLs that were signed before the removal', async () => {
        const grant = upload(5)
        const url = await storage.signUpload(grant)
        const headers = { 'Content-Type': grant.mimeType }
        expect(successStatuses).toContain(
          (await send(url, { method: 'PUT', headers, body: 'hello' })).status,
        )
        openedStorage.endUpload(grant.key)
        await storage.remove(grant.key)
        expectClientError(await send(url, { method: 'PUT', headers, body: 'again' }))
        expect(await storage.storedSize(grant.key)).toBeNull()
      })

      it('lists each object once with its date, in key order, whether unsealed, sealed or both', async () => {
        const letters = ['9', 'z', 'a', '0']
        for (const [at, letter] of letters.entries()) {
          const grant = upload(5, { key: `${letter}${newStorageKey().slice(1)}` })
          await put(grant, Buffer.from('hello'))
          if (at % 2 === 0) await storage.seal(grant.key, 5)
          // Bytes sent after the seal must change nothing.
          if (at === 0) await put(grant, Buffer.from('hello')).catch(() => undefined)
        }
        const keys: string[] = []
        for await (const { key, modifiedAt } of storage.list()) {
          keys.push(key)
          expect(Math.abs(modifiedAt.getTime() - Date.now())).toBeLessThan(hour)
        }
        expect(keys.length).toBeGreaterThanOrEqual(letters.length)
        expect(keys).toEqual([...new Set(keys)].sort())
      })

      it('allows removals during a listing', async () => {
        const grants = await Promise.all(
          Array.from({ length: 4 }, () => store(Buffer.from('hello'))),
        )
        const keys = new Set(grants.map(({ key }) => key))
        for await (const { key } of storage.list()) if (keys.has(key)) await storage.remove(key)
        expect((await listKeys()).filter((key) => keys.has(key))).toEqual([])
      })
    })

    it('stores a file of tens of megabytes byte for byte', async () => {
      const bytes = randomBytes(20 * 1024 * 1024 + 1)
      const response = await get(download(await store(bytes)))
      expect(response.status).toBe(200)
      expect(sha256(response.body)).toBe(sha256(bytes))
    })

    it('stores many files concurrently without mixing them up', async () => {
      const bodies = Array.from({ length: 4 }, (_, index) => Buffer.alloc(100_000, index))
      const grants = await Promise.all(bodies.map((body) => store(body)))
      const responses = await Promise.all(grants.map((grant) => get(download(grant))))
      expect(responses.map(({ body }) => sha256(body))).toEqual(bodies.map(sha256))
    })

    it('returns the installation that claimed the store, and does not list the claim as an object', async () => {
      const keysBefore = await listKeys()
      expect(await storage.installation()).toBeNull()
      await storage.claim('one')
      await storage.claim('another')
      expect(await storage.installation()).toBe('another')
      expect((await listKeys()).sort()).toEqual(keysBefore.sort())
    })

    it('passes its check and leaves nothing behind', async () => {
      const keysBefore = await listKeys()
      await Promise.all([storage.check(), storage.check()])
      expect((await listKeys()).sort()).toEqual(keysBefore.sort())
    })
  })
}

function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex')
}

export function expectClientError({ status }: HttpResponse) {
  expect(status).toBeGreaterThanOrEqual(400)
  expect(status).toBeLessThan(500)
}

const signature = /([?&](?:X-Amz-)?signature=)([^&]*)/i

export function alterSignature(url: string): string {
  return url.replace(signature, (_, name: string, value: string) => {
    return `${name}${value.startsWith('0') ? '1' : '0'}${value.slice(1)}`
  })
}

/** Replaces the signature in `url` with the one in `otherUrl`. */
export function withOtherSignature(url: string, otherUrl: string): string {
  return url.replace(signature, `$1${signature.exec(otherUrl)?.[2]}`)
}

/** Sends the start of a body, then drops the connection. Resolves when it has closed. */
export function interruptUpload(
  url: string,
  headers: Record<string, string | number>,
): Promise<void> {
  return new Promise((resolve) => {
    const client = request(url, { method: 'PUT', headers, agent: false })
    client.on('error', () => undefined)
    client.on('close', resolve)
    client.write(Buffer.alloc(500), () => client.destroy())
  })
}
