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
    const [before, between, after] = [newStorageKey(), newStorageKey(), newStorageKey()]
    const fanOut = (key: string) => join(disk.dataDir, 'files', key.slice(0, 2))
    await writeFile(join(disk.dataDir, 'uploads', before), 'hello')
    await writeFile(join(disk.dataDir, 'uploads', between), 'hello')
    await mkdir(fanOut(between), { recursive: true })
    await mkdir(fanOut(after), { recursive: true })
    await writeFile(join(fanOut(after), after), 'hello')
    const reopened = await reopen()
    for (const key of [before, between, after]) {
      await reopened.seal(key, 5)
      expect((await readFile(join(fanOut(key), key))).toString()).toBe('hello')
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
  it('ends running transfers, keeps received bytes and refuses new requests', async () => {
    const closing = await openDiskServer()
    const upload = singleUpload(closing, 10)
    const { outcome, write } = await upload.open({ 'Content-Length': 10 })
    await write(Buffer.from('0123'))
    await upload.waitUntilStored(4)
    const sealed = singleUpload(closing, 64 * MiB)
    await sealed.put(Buffer.alloc(64 * MiB))
    await sealed.seal()
    const download = closing.downloadGrant(sealed.key, 64 * MiB)
    const reader = request(await closing.storage.signDownload(download), { agent: false })
    reader.on('error', () => undefined).end()
    const [half] = (await once(reader, 'response')) as [IncomingMessage]
    half.on('error', () => undefined)
    expect(closing.storage.activeTransfers()).toBe(2)
    const closed = closing.storage.close()
    expect(await outcome).toMatchObject({ status: 503 })
    await closed
    half.resume()
    await waitForClose(half)
    expect(half.complete).toBe(false)
    expect(await closing.storage.storedSize(upload.key)).toBe(4)
    expect((await upload.head()).status).toBe(503)
    await closing.close()
  })
})
