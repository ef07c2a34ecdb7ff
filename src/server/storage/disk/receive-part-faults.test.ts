import { rename, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type DiskServer, openDiskServer } from '../../../../tests/support/disk-server.ts'
import { multipartUpload } from '../../../../tests/support/disk-uploads.ts'
import { statusAndErrorCode } from '../../../../tests/support/send.ts'

const MiB = 1024 * 1024

let disk: DiskServer
beforeAll(async () => {
  disk = await openDiskServer()
})
afterAll(() => disk.close())

describe('a part sent to a full disk', () => {
  it('is not stored, leaves other parts intact, and succeeds once there is space', async () => {
    const upload = multipartUpload(disk, 2, MiB)
    const path = join(disk.dataDir, 'uploads', upload.key)
    await upload.put(2)
    const storedBytes = await upload.stored()
    await rm(path)
    // Writes to this device fail with ENOSPC.
    await symlink('/dev/full', path)
    expect(statusAndErrorCode(await upload.put(1))).toEqual([503, 'DISK_FULL'])
    expect(disk.logLines.at(-1)).toMatchObject({ level: 50, err: { code: 'ENOSPC' } })
    await rm(path)
    await writeFile(path, storedBytes)
    expect(await upload.completeParts()).toEqual([2])
    expect((await upload.put(1)).status).toBe(200)
    expect(await upload.seal()).toBe(upload.sha256)
  })

  it('is not stored if only its list entry cannot be written', async () => {
    const upload = multipartUpload(disk, 2, 1000)
    await upload.put(2)
    const list = join(disk.dataDir, 'uploads', `${upload.key}.parts`)
    await rename(list, `${list}.kept`)
    await symlink('/dev/full', list)
    expect(statusAndErrorCode(await upload.put(1))).toEqual([503, 'DISK_FULL'])
    await rename(`${list}.kept`, list)
    expect(await upload.completeParts()).toEqual([2])
    expect((await upload.put(1)).status).toBe(200)
    expect(await upload.seal()).toBe(upload.sha256)
  })
})

describe('a server shutdown', () => {
  it('aborts incomplete parts and keeps complete ones for the next start', async () => {
    const stoppedServer = await openDiskServer()
    const upload = multipartUpload(stoppedServer, 2, 1000)
    await upload.put(2)
    const { outcome } = await upload.startPart(1)
    await stoppedServer.storage.close()
    const response = await outcome
    if (response !== 'cut') expect(response).toMatchObject({ status: 503 })
    await stoppedServer.stop()
    const nextServer = await openDiskServer(stoppedServer.dataDir)
    const resumedUpload = upload.onServer(nextServer)
    expect(await resumedUpload.completeParts()).toEqual([2])
    await resumedUpload.put(1)
    expect(await resumedUpload.seal()).toBe(upload.sha256)
    await nextServer.close()
  })
})
