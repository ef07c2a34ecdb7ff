import { randomBytes } from 'node:crypto'
import * as fs from 'node:fs/promises'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type DiskServer,
  expectIdle,
  openDiskServer,
} from '../../../../tests/support/disk-server.ts'
import { multipartUpload, singleUpload } from '../../../../tests/support/disk-uploads.ts'
import { sha256 } from '../../../../tests/support/make.ts'
import { statusAndErrorCode } from '../../../../tests/support/send.ts'

const MiB = 1024 * 1024

let disk: DiskServer
beforeAll(async () => {
  disk = await openDiskServer()
})
afterAll(() => disk.close())

describe('while parts arrive', () => {
  it('a premature seal is rejected and does not disturb them', async () => {
    const upload = multipartUpload(disk, 2, 1000)
    await upload.put(2)
    const { outcome, finish } = await upload.startPart(1)
    const prematureSeal = upload.seal()
    await expect(prematureSeal).rejects.toMatchObject({ expected: 1500, actual: 500 })
    finish()
    expect(await outcome).toMatchObject({ status: 200 })
    await upload.seal()
  })

  it('removing the upload aborts them and leaves nothing behind', async () => {
    const upload = multipartUpload(disk, 3, 1000)
    await upload.put(3)
    const partRequests = await Promise.all([upload.startPart(1), upload.startPart(2)])
    disk.endedKeys.add(upload.key)
    await disk.storage.remove(upload.key)
    for (const { outcome } of partRequests) {
      const response = await outcome
      if (response !== 'cut') expect(response.code).toBe('UPLOAD_NOT_FOUND')
    }
    expect(await upload.remainingFiles()).toEqual([])
    expect(await disk.storage.listParts(upload.key)).toEqual([])
    expect(await disk.storage.storedSize(upload.key)).toBeNull()
  })

  it('sealing produces a file of exactly the stored parts, or none', async () => {
    for (let round = 0; round < 5; round += 1) {
      const upload = multipartUpload(disk, 2, MiB)
      await upload.putAll()
      const body = randomBytes(MiB)
      const [resent, sealed] = await Promise.allSettled([upload.put(1, {}, body), upload.seal()])
      if (sealed.status === 'fulfilled') {
        const file = join(disk.dataDir, 'files', upload.key.slice(0, 2), upload.key)
        expect(sealed.value).toBe(sha256(await readFile(file)))
        expect(await upload.remainingFiles()).toEqual([])
      } else {
        expect(sealed.reason).toMatchObject({ name: 'SizeMismatch' })
        if (resent.status === 'fulfilled') expect(resent.value.status).toBe(200)
        await disk.storage.remove(upload.key)
      }
    }
  })
})

describe('while a whole file arrives', () => {
  it('a premature seal is rejected and does not disturb it', async () => {
    const upload = singleUpload(disk, 6)
    const { client, outcome, write } = await upload.open({ 'Content-Length': 6 })
    await write(Buffer.from('abc'))
    await upload.waitUntilStored(3)
    const prematureSeal = upload.seal()
    await expect(prematureSeal).rejects.toMatchObject({ expected: 6, actual: 3 })
    client.end('def')
    expect(await outcome).toMatchObject({ status: 200 })
    await upload.seal()
  })

  it('removing the upload aborts it and leaves nothing behind', async () => {
    const upload = singleUpload(disk, 6)
    const { outcome, write } = await upload.open({ 'Content-Length': 6 })
    await write(Buffer.from('abc'))
    await upload.waitUntilStored(3)
    disk.endedKeys.add(upload.key)
    await disk.storage.remove(upload.key)
    const response = await outcome
    if (response !== 'cut') expect(response.code).toBe('UPLOAD_NOT_FOUND')
    expect(await upload.remainingFiles()).toEqual([])
  })

  it('sealing produces a file of exactly the right size or none, in any order of requests', async () => {
    for (let round = 0; round < 8; round += 1) {
      const size = 3 * MiB
      const upload = singleUpload(disk, size)
      await upload.put(Buffer.alloc(size, 1))
      const [overwritten, sealed] = await Promise.allSettled([
        upload.put(Buffer.alloc(size, 2)),
        upload.seal(),
      ])
      if (sealed.status === 'rejected') {
        expect(sealed.reason).toMatchObject({ name: 'SizeMismatch' })
        await disk.storage.remove(upload.key)
        continue
      }
      const bytes = await readFile(join(disk.dataDir, 'files', upload.key.slice(0, 2), upload.key))
      expect(bytes.length).toBe(size)
      expect(bytes.equals(Buffer.alloc(size, bytes[0]))).toBe(true)
      if (overwritten.status === 'fulfilled') expect([200, 409]).toContain(overwritten.value.status)
      expect(await upload.remainingFiles()).toEqual([])
    }
    await expectIdle(disk)
  })
})

describe('while a file is being sealed', () => {
  it('PUTs of parts or the whole file get UPLOAD_SEALED and leave nothing, even if the upload is open', async () => {
    const [renameStarted, continueRename] = [
      Promise.withResolvers<void>(),
      Promise.withResolvers<void>(),
    ]
    const slowServer = await openDiskServer(undefined, {
      ...fs,
      async rename(from, to) {
        renameStarted.resolve()
        await continueRename.promise
        await fs.rename(from, to)
      },
    })
    const upload = multipartUpload(slowServer, 2, 1000)
    await upload.putAll()
    const sealPromise = upload.seal()
    await renameStarted.promise
    const lateRequests = [upload.put(1), upload.single.put(randomBytes(1500))]
    while (slowServer.storage.transfers.activeCount() < lateRequests.length)
      await new Promise(setImmediate)
    continueRename.resolve()
    expect(await sealPromise).toBe(upload.sha256)
    lateRequests.push(upload.put(2), upload.single.put(upload.bytes, { Range: 'bytes=0-' }))
    for (const response of await Promise.all(lateRequests)) {
      expect(statusAndErrorCode(response)).toEqual([409, 'UPLOAD_SEALED'])
    }
    expect(await upload.remainingFiles()).toEqual([])
    expect(await upload.completeParts()).toEqual([])
    expect(await upload.seal()).toBe(upload.sha256)
    await slowServer.close()
  })
})
