import { randomBytes } from 'node:crypto'
import { rename, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type DiskServer,
  expectIdle,
  openDiskServer,
} from '../../../../tests/support/disk-server.ts'
import { singleUpload } from '../../../../tests/support/disk-uploads.ts'
import { statusAndErrorCode } from '../../../../tests/support/send.ts'

const MiB = 1024 * 1024

let disk: DiskServer
beforeAll(async () => {
  disk = await openDiskServer()
})
afterAll(() => disk.close())

describe('a failing disk', () => {
  it('answers 503 when full and keeps the stored bytes', async () => {
    const upload = singleUpload(disk, 2 * MiB)
    const bytes = randomBytes(2 * MiB)
    // Writes to this device fail with ENOSPC.
    await symlink('/dev/full', join(disk.dataDir, 'uploads', upload.key))
    const response = await upload.put(bytes, { Range: 'bytes=0-' })
    expect(statusAndErrorCode(response)).toEqual([503, 'DISK_FULL'])
    expect(response.headers['retry-after']).toBe('60')
    expect(disk.logLines.at(-1)).toMatchObject({ level: 50, err: { code: 'ENOSPC' } })
    expect(await disk.openFiles()).toEqual([])
    // The same upload succeeds once the disk has space.
    expect((await upload.put(bytes)).status).toBe(200)
    await expectIdle(disk)
  })

  it('answers 503 while unavailable and recovers afterwards', async () => {
    const upload = singleUpload(disk, 5)
    const [uploads, movedAway] = [join(disk.dataDir, 'uploads'), join(disk.dataDir, 'aside')]
    await rename(uploads, movedAway)
    await writeFile(uploads, '')
    await expect(disk.storage.check()).rejects.toThrow('ENOTDIR')
    const response = await upload.put('hello')
    expect(statusAndErrorCode(response)).toEqual([503, 'UNAVAILABLE'])
    expect(response.headers['retry-after']).toBe('5')
    await rename(uploads, join(disk.dataDir, 'was a file'))
    await rename(movedAway, uploads)
    await disk.storage.check()
    expect((await upload.put('hello')).status).toBe(200)
  })
})
