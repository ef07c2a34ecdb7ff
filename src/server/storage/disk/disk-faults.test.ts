import { randomBytes } from 'node:crypto'
import { rename, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type DiskServer,
  expectIdle,
  openDiskServer,
} from '../../../../tests/support/disk-server.ts'
import { wholeUpload } from '../../../../tests/support/disk-uploads.ts'
import { refusalOf } from '../../../../tests/support/send.ts'

const MiB = 1024 * 1024

let disk: DiskServer
beforeAll(async () => {
  disk = await openDiskServer()
})
afterAll(() => disk.close())

describe('a disk that fails', () => {
  it('when it is full: 503, and what is stored stays', async () => {
    const upload = wholeUpload(disk, 2 * MiB)
    const bytes = randomBytes(2 * MiB)
    // Every write to this device fails as on a full disk.
    await symlink('/dev/full', join(disk.dataDir, 'uploads', upload.key))
    const answer = await upload.put(bytes, { Range: 'bytes=0-' })
    expect(refusalOf(answer)).toEqual([503, 'DISK_FULL'])
    expect(answer.headers['retry-after']).toBe('60')
    expect(disk.logged.at(-1)).toMatchObject({ level: 50, err: { code: 'ENOSPC' } })
    expect(await disk.openFiles()).toEqual([])
    // With room on the disk, the same upload succeeds.
    expect((await upload.put(bytes)).status).toBe(200)
    await expectIdle(disk)
  })

  it('when it is gone: 503, not ready, and well again when it is back', async () => {
    const upload = wholeUpload(disk, 5)
    const [uploads, aside] = [join(disk.dataDir, 'uploads'), join(disk.dataDir, 'aside')]
    await rename(uploads, aside)
    await writeFile(uploads, '')
    await expect(disk.storage.check()).rejects.toThrow('ENOTDIR')
    const refused = await upload.put('hello')
    expect(refusalOf(refused)).toEqual([503, 'UNAVAILABLE'])
    expect(refused.headers['retry-after']).toBe('5')
    await rename(uploads, join(disk.dataDir, 'was a file'))
    await rename(aside, uploads)
    await disk.storage.check()
    expect((await upload.put('hello')).status).toBe(200)
  })
})
