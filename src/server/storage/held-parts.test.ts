import { createHash, randomBytes } from 'node:crypto'
import * as fs from 'node:fs/promises'
import {
  appendFile,
  mkdir,
  mkdtemp,
  open,
  readdir,
  readFile,
  rm,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type DiskServer, openDiskServer } from '../../../tests/support/disk-server.ts'
import { checksums } from '../../../tests/support/make.ts'
import { send } from '../../../tests/support/send.ts'
import { FileDigests } from './file-digests.ts'
import { Folders } from './folders.ts'
import { HeldParts } from './held-parts.ts'
import type { PartGrant } from './storage.ts'
import { newStorageKey } from './storage-key.ts'

const partSize = 3000

let disk: DiskServer
beforeAll(async () => {
  disk = await openDiskServer()
})
afterAll(() => disk.close())
const restart = async () => {
  await disk.stop()
  disk = await openDiskServer(disk.dataDir)
}

/** An upload of three parts, of which these have been sent. */
const upload = async (...partNumbers: number[]) => {
  const bytes = randomBytes(3 * partSize)
  const whole = disk.uploadGrant(bytes.length)
  const parts = [0, 1, 2].map(
    (index): PartGrant => ({
      ...whole,
      partNumber: index + 1,
      offset: index * partSize,
      size: partSize,
    }),
  )
  const put = async (partNumber: number) => {
    const part = parts[partNumber - 1] as PartGrant
    const [url = ''] = await disk.storage.signParts([part])
    const body = bytes.subarray(part.offset, part.offset + part.size)
    const headers = { 'Content-Type': part.mimeType }
    expect((await send(url, { method: 'PUT', headers, body })).status).toBe(200)
  }
  for (const partNumber of partNumbers) await put(partNumber)
  return { key: whole.key, bytes, put }
}
type Upload = Awaited<ReturnType<typeof upload>>

const pathOf = ({ key }: Upload) => join(disk.dataDir, 'uploads', key)
const notesOf = (of: Upload) => `${pathOf(of)}.parts`
const held = async ({ key }: Upload) =>
  (await disk.storage.listParts(key)).map(({ partNumber }) => partNumber)
const left = async ({ key }: Upload) =>
  (await readdir(join(disk.dataDir, 'uploads'))).filter((name) => name.startsWith(key))
const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')
const damage = async (of: Upload, offset: number) => {
  const file = await open(pathOf(of), 'r+')
  await file.write(Buffer.of((of.bytes[offset] ?? 0) ^ 1), 0, 1, offset)
  await file.close()
}

describe('after a restart', () => {
  it('the parts are held that were, and the upload goes on', async () => {
    const of = await upload(3, 1)
    await restart()
    expect(await disk.storage.storedSize(of.key)).toBe(2 * partSize)
    expect(await held(of)).toEqual([1, 3])
    await of.put(2)
    expect(await disk.storage.seal(of.key, of.bytes.length)).toBe(sha256(of.bytes))
    expect(await left(of)).toEqual([])
  })

  it('all parts that were held can be sealed at once', async () => {
    const of = await upload(3, 1, 2)
    await restart()
    expect(await disk.storage.seal(of.key, of.bytes.length)).toBe(sha256(of.bytes))
  })

  it('a part is not believed whose bytes are not those that were noted', async () => {
    const of = await upload(1, 2, 3)
    await disk.stop()
    await damage(of, partSize + 1234)
    disk = await openDiskServer(disk.dataDir)
    const tooEarly = disk.storage.seal(of.key, of.bytes.length)
    await expect(tooEarly).rejects.toMatchObject({ actual: 2 * partSize })
    expect(await held(of)).toEqual([1, 3])
    await of.put(2)
    expect(await disk.storage.seal(of.key, of.bytes.length)).toBe(sha256(of.bytes))
  })

  it('a part is not believed where the file ends before', async () => {
    const of = await upload(1, 2, 3)
    await disk.stop()
    const file = await open(pathOf(of), 'r+')
    await file.truncate(2 * partSize + 1)
    await file.close()
    disk = await openDiskServer(disk.dataDir)
    expect(await held(of)).toEqual([1, 2])
  })

  it('nothing is believed without bytes or without notes', async () => {
    const [bytesGone, notesGone] = [await upload(1, 2, 3), await upload(1, 2, 3)]
    await disk.stop()
    await rm(pathOf(bytesGone))
    await writeFile(notesOf(notesGone), '')
    disk = await openDiskServer(disk.dataDir)
    for (const of of [bytesGone, notesGone]) {
      expect(await held(of)).toEqual([])
      for (const partNumber of [2, 3, 1]) await of.put(partNumber)
      expect(await disk.storage.seal(of.key, of.bytes.length)).toBe(sha256(of.bytes))
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
    const of = await upload(1)
    await appendFile(notesOf(of), line)
    await of.put(3)
    await restart()
    expect(await held(of)).toEqual([1, 3])
    await of.put(2)
    await restart()
    expect(await held(of)).toEqual([1, 2, 3])
    expect(await disk.storage.seal(of.key, of.bytes.length)).toBe(sha256(of.bytes))
  })

  it('of a part that was sent twice the newer note counts', async () => {
    const of = await upload(1, 2, 3)
    const before = await readFile(notesOf(of), 'utf8')
    await damage(of, 0)
    await of.put(1)
    expect((await readFile(notesOf(of), 'utf8')).length).toBeGreaterThan(before.length)
    await restart()
    expect(await held(of)).toEqual([1, 2, 3])
  })

  it('notes that sealing left behind are gone, and the sealed file is as it was', async () => {
    const of = await upload(1, 2, 3)
    const notes = await readFile(notesOf(of))
    await disk.storage.seal(of.key, of.bytes.length)
    await writeFile(notesOf(of), notes)
    await restart()
    expect(await left(of)).toEqual([])
    expect(await disk.storage.listParts(of.key)).toEqual([])
    expect(await disk.storage.storedSize(of.key)).toBe(of.bytes.length)
    expect(await disk.storage.seal(of.key, of.bytes.length)).toBe(sha256(of.bytes))
  })

  it('many who ask at once wait for one reading', async () => {
    const of = await upload(1, 3)
    await restart()
    const answers = await Promise.all(Array.from({ length: 20 }, () => held(of)))
    expect(answers).toEqual(Array.from({ length: 20 }, () => [1, 3]))
  })
})

describe('the bookkeeping', () => {
  let dataDir: string
  let folders: Folders
  const digests = new FileDigests(pino({ level: 'silent' }))
  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'mayfly-parts-'))
    folders = await Folders.open(fs, dataDir)
  })
  afterAll(async () => {
    await digests.close()
    await folders.close()
    await rm(dataDir, { recursive: true, force: true })
  })
  const grant = (key: string, partNumber: number, size = 1): PartGrant => ({
    key,
    partNumber,
    offset: (partNumber - 1) * size,
    size,
    mimeType: 'text/plain',
    until: new Date(0),
  })
  const take = async (parts: HeldParts, part: PartGrant) => {
    const file = await parts.begin(part)
    await file.write(Buffer.alloc(part.size, part.partNumber), 0, part.size, part.offset)
    await file.close()
    await parts.hold(part, crc32(Buffer.alloc(part.size, part.partNumber)))
  }

  it('starts once where many first parts come at once', async () => {
    const parts = await HeldParts.open(folders, digests)
    const key = newStorageKey()
    const numbers = Array.from({ length: 20 }, (_, index) => index + 1)
    await Promise.all(numbers.map((partNumber) => take(parts, grant(key, partNumber))))
    expect((await parts.list(key)).map(({ partNumber }) => partNumber)).toEqual(numbers)
    expect([...(await readFile(folders.uploadPath(key)))]).toEqual(numbers)
  })

  it('keeps 10,000 parts, shuffled, through a restart', async () => {
    const key = newStorageKey()
    const parts = await HeldParts.open(folders, digests)
    const numbers = Array.from({ length: 10_000 }, (_, index) => ((index * 7919) % 10_000) + 1)
    for (let from = 0; from < numbers.length; from += 100) {
      const some = numbers.slice(from, from + 100)
      await Promise.all(some.map((partNumber) => take(parts, grant(key, partNumber))))
    }
    expect(await parts.areWhole(key, 10_000)).toBe(true)
    const reopened = await HeldParts.open(folders, digests)
    expect(await reopened.list(key)).toEqual(await parts.list(key))
    expect(await reopened.areWhole(key, 10_000)).toBe(true)
    await take(reopened, grant(key, 5000))
    expect(await reopened.areWhole(key, 10_000)).toBe(true)
    await (await reopened.begin(grant(key, 5000))).close()
    expect(await reopened.areWhole(key, 10_000)).toBe(false)
    expect(await reopened.bytes(key)).toBe(9999)
  })

  it('takes parts that leave a gap or overlap for no whole file', async () => {
    const parts = await HeldParts.open(folders, digests)
    const key = newStorageKey()
    await take(parts, grant(key, 1, 10))
    await take(parts, { ...grant(key, 2, 10), offset: 5 })
    expect(await parts.bytes(key)).toBe(20)
    expect(await parts.areWhole(key, 20)).toBe(false)
  })

  it('remembers nothing of what was discarded or forgotten', async () => {
    const parts = await HeldParts.open(folders, digests)
    for (const end of ['discard', 'forget'] as const) {
      const key = newStorageKey()
      await take(parts, grant(key, 1))
      expect(parts.isInParts(key)).toBe(true)
      await parts[end](key)
      await parts[end](key)
      expect(parts.isInParts(key)).toBe(false)
      expect([await parts.list(key), await parts.bytes(key)]).toEqual([[], null])
    }
    const left = await readdir(join(dataDir, 'uploads'))
    const reopened = await HeldParts.open(folders, digests)
    for (const name of left) expect(reopened.isInParts(name)).toBe(left.includes(`${name}.parts`))
  })

  it('asks anew after a failure', async () => {
    const key = newStorageKey()
    await take(await HeldParts.open(folders, digests), grant(key, 1))
    const reopened = await HeldParts.open(folders, digests)
    const notes = await readFile(folders.partsPath(key))
    await rm(folders.partsPath(key))
    await mkdir(folders.partsPath(key))
    await expect(reopened.list(key)).rejects.toThrow('EISDIR')
    await rm(folders.partsPath(key), { recursive: true })
    await writeFile(folders.partsPath(key), notes)
    expect(await reopened.list(key)).toEqual([
      { partNumber: 1, size: 1, checksum: checksums.crc32(Buffer.of(1)) },
    ])
  })
})
