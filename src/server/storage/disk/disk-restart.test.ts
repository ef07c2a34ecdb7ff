import { once } from 'node:events'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { type IncomingMessage, request } from 'node:http'
import { join } from 'node:path'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type DiskServer, openDiskServer } from '../../../../tests/support/disk-server.ts'
import { chunkedEncoding, singleUpload } from '../../../../tests/support/disk-uploads.ts'
import { waitForClose } from '../../../../tests/support/send.ts'
import { testSpace } from '../../../../tests/support/test-space.ts'
import { newStorageKey } from '../storage-key.ts'
import { openDiskStorage } from './disk.ts'

const MiB = 1024 * 1024

let disk: DiskServer
beforeAll(async () => {
  disk = await openDiskServer()
})
afterAll(() => disk.close())

describe('after a crash', () => {
  const reopen = () =>
    openDiskStorage({
      dataDir: disk.dataDir,
      appUrl: new URL(`http://127.0.0.1:${disk.port}`),
      secret: 'a secret that only this test run knows',
      clock: disk.clock,
      log: pino({ level: 'silent' }),
      space: testSpace(),
      uploads: { touch: async () => true },
      clientAddress: () => '127.0.0.1',
      shedLoad() {},
    })

  it('a seal interrupted at any step can be resumed', async () => {
    const [unsealedKey, interruptedKey, sealedKey] = [
      newStorageKey(),
      newStorageKey(),
      newStorageKey(),
    ]
    const shardOf = (key: string) => join(disk.dataDir, 'files', key.slice(0, 2))
    await writeFile(join(disk.dataDir, 'uploads', unsealedKey), 'hello')
    await writeFile(join(disk.dataDir, 'uploads', interruptedKey), 'hello')
    await mkdir(shardOf(interruptedKey), { recursive: true })
    await mkdir(shardOf(sealedKey), { recursive: true })
    await writeFile(join(shardOf(sealedKey), sealedKey), 'hello')
    const reopenedStorage = await reopen()
    for (const key of [unsealedKey, interruptedKey, sealedKey]) {
      await reopenedStorage.seal(key, 5)
      expect((await readFile(join(shardOf(key), key))).toString()).toBe('hello')
      expect(await readdir(join(disk.dataDir, 'uploads'))).not.toContain(key)
    }
    await reopenedStorage.close()
  })

  it('issued URLs stay valid and uploads can be resumed', async () => {
    const upload = singleUpload(disk, 10)
    await upload.put('0123', chunkedEncoding)
    const reopenedStorage = await reopen()
    expect(await reopenedStorage.signUpload(upload.grant)).toBe(await upload.url())
    expect(await reopenedStorage.storedSize(upload.key)).toBe(4)
    await reopenedStorage.close()
  })
})

describe('close', () => {
  it('ends running transfers, keeps received bytes and rejects new requests', async () => {
    const server = await openDiskServer()
    const upload = singleUpload(server, 10)
    const { outcome, write } = await upload.open({ 'Content-Length': 10 })
    await write(Buffer.from('0123'))
    await upload.waitUntilStored(4)
    const sealedUpload = singleUpload(server, 24 * MiB)
    await sealedUpload.put(Buffer.alloc(24 * MiB))
    await sealedUpload.seal()
    const download = server.downloadGrant(sealedUpload.key, 24 * MiB)
    const downloadRequest = request(await server.downloadUrl(download), { agent: false })
    downloadRequest.on('error', () => undefined).end()
    const [partialResponse] = (await once(downloadRequest, 'response')) as [IncomingMessage]
    partialResponse.on('error', () => undefined)
    expect(server.storage.transfers.activeCount()).toBe(2)
    const closePromise = server.storage.close()
    expect(await outcome).toMatchObject({ status: 503 })
    await closePromise
    partialResponse.resume()
    await waitForClose(partialResponse)
    expect(partialResponse.complete).toBe(false)
    expect(await server.storage.storedSize(upload.key)).toBe(4)
    expect((await upload.head()).status).toBe(503)
    await server.close()
  })
})
