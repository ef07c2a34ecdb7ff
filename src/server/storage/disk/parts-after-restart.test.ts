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
 * Restarts the server and calls `meanwhile` while it is stopped. Returns the same upload, bound to
 * the new server.
 */
async function restart(upload: MultipartUpload, meanwhile?: () => Promise<void>) {
  await disk.stop()
  await meanwhile?.()
  disk = await openDiskServer(disk.dataDir)
  return upload.at(disk)
}

/** Starts a three-part upload and sends the given parts. */
async function startUpload(...partNumbers: number[]) {
  const upload = multipartUpload(disk, 3, partSize)
  for (const partNumber of partNumbers) expect((await upload.put(partNumber)).status).toBe(200)
  return upload
}

function pathOf({ key }: MultipartUpload) {
  return join(disk.dataDir, 'uploads', key)
}
function listOf(upload: MultipartUpload) {
  return `${pathOf(upload)}.parts`
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
    const sent = await startUpload(1, 2, 3)
    const upload = await restart(sent, () => truncate(pathOf(sent), 2 * partSize + 1))
    expect(await upload.completeParts()).toEqual([1, 2])
  })

  it('no part counts if the bytes or the part list are lost', async () => {
    const [bytesGone, listGone] = [await startUpload(1, 2, 3), await startUpload(1, 2, 3)]
    await restart(bytesGone, async () => {
      await rm(pathOf(bytesGone))
      await writeFile(listOf(listGone), '')
    })
    for (const upload of [bytesGone.at(disk), listGone.at(disk)]) {
      expect(await upload.completeParts()).toEqual([])
      for (const partNumber of [2, 3, 1]) await upload.put(partNumber)
      expect(await upload.seal()).toBe(upload.sha256)
    }
  })

  it('a part whose resend was interrupted does not count', async () => {
    const sent = await startUpload(1, 2, 3)
    const again = await sent.startPart(2)
    await sent.waitForParts(1, 3)
    const upload = await restart(sent)
    again.client.destroy()
    expect(await upload.completeParts()).toEqual([1, 3])
    await upload.put(2)
    expect(await upload.seal()).toBe(upload.sha256)
  })

  it('garbage in the part list is ignored', async () => {
    const upload = await restart(await startUpload(1, 3), async () => undefined)
    const list = await open(listOf(upload), 'r+')
    await list.write(randomBytes(28), 0, 28, 36)
    await list.close()
    expect(await upload.completeParts()).toEqual([1, 3])
  })

  it('a part list left over from sealing is removed, and the sealed file is unchanged', async () => {
    const sent = await startUpload(1, 2, 3)
    const list = await readFile(listOf(sent))
    await sent.seal()
    await writeFile(listOf(sent), list)
    const upload = await restart(sent)
    expect(await upload.remainingFiles()).toEqual([])
    expect(await upload.completeParts()).toEqual([])
    expect(await disk.storage.storedSize(upload.key)).toBe(upload.bytes.length)
    expect(await upload.seal()).toBe(upload.sha256)
  })
})
