import { appendFile, open, readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type DiskServer, openDiskServer } from '../../../../tests/support/disk-server.ts'
import { type CutUpload, cutUpload } from '../../../../tests/support/disk-uploads.ts'

const partSize = 3000

let disk: DiskServer
beforeAll(async () => {
  disk = await openDiskServer()
})
afterAll(() => disk.close())

/**
 * Stops the server, calls `meanwhile`, and starts the server again. Returns the same upload, which
 * now talks to the new server.
 */
async function restart(of: CutUpload, meanwhile?: () => Promise<void>) {
  await disk.stop()
  await meanwhile?.()
  disk = await openDiskServer(disk.dataDir)
  return of.at(disk)
}

/** Starts an upload of three parts and sends the parts with these numbers. */
async function upload(...partNumbers: number[]) {
  const of = cutUpload(disk, 3, partSize)
  for (const partNumber of partNumbers) expect((await of.put(partNumber)).status).toBe(200)
  return of
}

function pathOf({ key }: CutUpload) {
  return join(disk.dataDir, 'uploads', key)
}
function notesOf(of: CutUpload) {
  return `${pathOf(of)}.parts`
}
async function damage(of: CutUpload, offset: number) {
  const file = await open(pathOf(of), 'r+')
  await file.write(Buffer.of((of.bytes[offset] ?? 0) ^ 1), 0, 1, offset)
  await file.close()
}

describe('after a restart', () => {
  it('the parts are held that were, and the upload goes on', async () => {
    const of = await restart(await upload(3, 1))
    expect(await disk.storage.storedSize(of.key)).toBe(1.5 * partSize)
    expect(await of.held()).toEqual([1, 3])
    await of.put(2)
    expect(await of.seal()).toBe(of.sha256)
    expect(await of.left()).toEqual([])
  })

  it('all parts that were held can be sealed at once', async () => {
    const of = await restart(await upload(3, 1, 2))
    expect(await of.seal()).toBe(of.sha256)
  })

  it('a part is not believed whose bytes are not those that were noted', async () => {
    const sent = await upload(1, 2, 3)
    const of = await restart(sent, () => damage(sent, partSize + 1234))
    await expect(of.seal()).rejects.toMatchObject({ actual: 1.5 * partSize })
    expect(await of.held()).toEqual([1, 3])
    await of.put(2)
    expect(await of.seal()).toBe(of.sha256)
  })

  it('a part is not believed where the file ends before', async () => {
    const sent = await upload(1, 2, 3)
    const of = await restart(sent, () => truncate(pathOf(sent), 2 * partSize + 1))
    expect(await of.held()).toEqual([1, 2])
  })

  it('nothing is believed without bytes or without notes', async () => {
    const [bytesGone, notesGone] = [await upload(1, 2, 3), await upload(1, 2, 3)]
    await restart(bytesGone, async () => {
      await rm(pathOf(bytesGone))
      await writeFile(notesOf(notesGone), '')
    })
    for (const of of [bytesGone.at(disk), notesGone.at(disk)]) {
      expect(await of.held()).toEqual([])
      for (const partNumber of [2, 3, 1]) await of.put(partNumber)
      expect(await of.seal()).toBe(of.sha256)
    }
  })

  it.each([
    ['torn', '{"partNumber":2,"offset":3000,"si'],
    [
      'glued to the next',
      '{"partNumber":2,"off{"partNumber":2,"offset":3000,"size":3000,"crc32":1}\n',
    ],
    ['no part', '[]\nnull\n17\n"parts"\n{}\n\n\n'],
    ['of wrong types', '{"partNumber":"2","offset":0,"size":1,"crc32":null}\n'],
    ['out of all bounds', '{"partNumber":10001,"offset":-1,"size":1e300,"crc32":4294967296}\n'],
    ['of another place', '{"partNumber":2,"offset":9007199254740991,"size":5,"crc32":1}\n'],
    ['of no text', '\0\0\0\0\ufffd\ufffd\n'],
  ])('a line that is %s tells nothing, and spoils no other', async (_, line) => {
    const sent = await upload(1)
    await appendFile(notesOf(sent), line)
    await sent.put(3)
    const of = await restart(sent)
    expect(await of.held()).toEqual([1, 3])
    await of.put(2)
    const again = await restart(of)
    expect(await again.held()).toEqual([1, 2, 3])
    expect(await again.seal()).toBe(of.sha256)
  })

  it('of a part that was sent twice the newer note counts', async () => {
    const of = await upload(1, 2, 3)
    const before = await readFile(notesOf(of), 'utf8')
    await damage(of, 0)
    await of.put(1)
    expect((await readFile(notesOf(of), 'utf8')).length).toBeGreaterThan(before.length)
    expect(await (await restart(of)).held()).toEqual([1, 2, 3])
  })

  it('notes that sealing left behind are gone, and the sealed file is as it was', async () => {
    const sent = await upload(1, 2, 3)
    const notes = await readFile(notesOf(sent))
    await sent.seal()
    await writeFile(notesOf(sent), notes)
    const of = await restart(sent)
    expect(await of.left()).toEqual([])
    expect(await of.held()).toEqual([])
    expect(await disk.storage.storedSize(of.key)).toBe(of.bytes.length)
    expect(await of.seal()).toBe(of.sha256)
  })

  it('many who ask at once wait for one reading', async () => {
    const of = await restart(await upload(1, 3))
    const answers = await Promise.all(Array.from({ length: 20 }, () => of.held()))
    expect(answers).toEqual(Array.from({ length: 20 }, () => [1, 3]))
  })
})
