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
    const reopened = await reopen()
    for (const key of [unsealedKey, interruptedKey, sealedKey]) {
      await reopened.seal(key, 5)
      expect((await readFile(join(shardOf(key), key))).toString()).toBe('hello')
      expect(await readdir(join(disk.dataDir, 'uploads'))).not.toContain(key)
    }
    await reopened.close()
  })

  it('issued URLs stay valid and uploads can be resumed', async () => {
    const upload = singleUpload(disk, 10)
    await upload.put('0123', chunkedEncoding)
    const reopened = await reopen()
    expect(await reopened.signUpload(upload.grant)).toBe(await upload.url())
    expect(await reopened.storedSize(upload.key)).toBe(4)
    await reopened.close()
  })
})

describe('close', () => {
  it('ends running transfers, keeps received bytes and rejects new requests', async () => {
    const server = await openDiskServer()
    const upload = singleUpload(server, 10)
    const { outcome, write } = await upload.open({ 'Content-Length': 10 })
    await write(Buffer.from('0123'))
    await upload.waitUntilStored(4)
    const sealedUpload = singleUpload(server, 64 * MiB)
    await sealedUpload.put(Buffer.alloc(64 * MiB))
    await sealedUpload.seal()
    const download = server.downloadGrant(sealedUpload.key, 64 * MiB)
    const reader = request(await server.storage.signDownload(download), { agent: false })
    reader.on('error', () => undefined).end()
    const [partialResponse] = (await once(reader, 'response')) as [IncomingMessage]
    partialResponse.on('error', () => undefined)
    expect(server.storage.activeTransfers()).toBe(2)
    const closed = server.storage.close()
    expect(await outcome).toMatchObject({ status: 503 })
    await closed
    partialResponse.resume()
    await waitForClose(partialResponse)
    expect(partialResponse.complete).toBe(false)
    expect(await server.storage.storedSize(upload.key)).toBe(4)
    expect((await upload.head()).status).toBe(503)
    await server.close()
  })
})
