import { randomBytes } from 'node:crypto'
import { open, readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type DiskServer, openDiskServer } from '../../../../tests/support/disk-server.ts'
import { type MultipartUpload, multipartUpload } from '../../../../tests/support/disk-uploads.ts'

const partSize = 3000

let disk: DiskServer
beforeAll(async () => {
  disk = await openDiskServer()
})
afterAll(() => disk.close())

/**
 * Restarts the server and calls `whileStopped` while it is stopped. Returns the same upload, bound
 * to the new server.
 */
async function restart(upload: MultipartUpload, whileStopped?: () => Promise<void>) {
  await disk.stop()
  await whileStopped?.()
  disk = await openDiskServer(disk.dataDir)
  return upload.onServer(disk)
}

/** Starts a three-part upload and sends the given parts. */
async function startUpload(...partNumbers: number[]) {
  const upload = multipartUpload(disk, 3, partSize)
  for (const partNumber of partNumbers) expect((await upload.put(partNumber)).status).toBe(200)
  return upload
}

function uploadPath({ key }: MultipartUpload) {
  return join(disk.dataDir, 'uploads', key)
}
function partListPath(upload: MultipartUpload) {
  return `${uploadPath(upload)}.parts`
}

describe('after a restart', () => {
  it('stored parts are kept and the upload continues', async () => {
    const upload = await restart(await startUpload(3, 1))
    expect(await disk.storage.storedSize(upload.key)).toBe(1.5 * partSize)
    expect(await upload.completeParts()).toEqual([1, 3])
    await upload.put(2)
    expect(await upload.seal()).toBe(upload.sha256)
    expect(await upload.remainingFiles()).toEqual([])
  })

  it('an upload with all its parts can be sealed immediately', async () => {
    const upload = await restart(await startUpload(3, 1, 2))
    expect(await upload.seal()).toBe(upload.sha256)
  })

  it('a part cut off by truncating the file does not count', async () => {
    const sentUpload = await startUpload(1, 2, 3)
    const upload = await restart(sentUpload, () =>
      truncate(uploadPath(sentUpload), 2 * partSize + 1),
    )
    expect(await upload.completeParts()).toEqual([1, 2])
  })

  it('no part counts if the bytes or the part list are lost', async () => {
    const [withoutBytes, withoutList] = [await startUpload(1, 2, 3), await startUpload(1, 2, 3)]
    await restart(withoutBytes, async () => {
      await rm(uploadPath(withoutBytes))
      await writeFile(partListPath(withoutList), '')
    })
    for (const upload of [withoutBytes.onServer(disk), withoutList.onServer(disk)]) {
      expect(await upload.completeParts()).toEqual([])
      for (const partNumber of [2, 3, 1]) await upload.put(partNumber)
      expect(await upload.seal()).toBe(upload.sha256)
    }
  })

  it('a part whose resend was interrupted does not count', async () => {
    const sentUpload = await startUpload(1, 2, 3)
    const resend = await sentUpload.startPart(2)
    await sentUpload.waitForParts(1, 3)
    const upload = await restart(sentUpload)
    resend.client.destroy()
    expect(await upload.completeParts()).toEqual([1, 3])
    await upload.put(2)
    expect(await upload.seal()).toBe(upload.sha256)
  })

  it('garbage in the part list is ignored', async () => {
    const upload = await restart(await startUpload(1, 3), async () => undefined)
    const list = await open(partListPath(upload), 'r+')
    await list.write(randomBytes(28), 0, 28, 36)
    await list.close()
    expect(await upload.completeParts()).toEqual([1, 3])
  })

  it('a part list left over from sealing is removed, and the sealed file is unchanged', async () => {
    const sentUpload = await startUpload(1, 2, 3)
    const list = await readFile(partListPath(sentUpload))
    await sentUpload.seal()
    await writeFile(partListPath(sentUpload), list)
    const upload = await restart(sentUpload)
    expect(await upload.remainingFiles()).toEqual([])
    expect(await upload.completeParts()).toEqual([])
    expect(await disk.storage.storedSize(upload.key)).toBe(upload.bytes.length)
    expect(await upload.seal()).toBe(upload.sha256)
  })
})
