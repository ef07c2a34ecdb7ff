import * as fs from 'node:fs/promises'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { checksums } from '../../../../tests/support/make.ts'
import type { PartGrant } from '../storage.ts'
import { newStorageKey } from '../storage-key.ts'
import { Folders } from './folders.ts'
import type { HeldParts } from './held-parts.ts'
import { OwnHeldParts } from './own-held-parts.ts'

let dataDir: string
let folders: Folders
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'mayfly-parts-'))
  folders = await Folders.open(fs, dataDir)
})
afterAll(async () => {
  await folders.close()
  await rm(dataDir, { recursive: true, force: true })
})
function grant(key: string, partNumber: number, size = 1): PartGrant {
  return {
    key,
    partNumber,
    offset: (partNumber - 1) * size,
    size,
    mimeType: 'text/plain',
    until: new Date(0),
  }
}
async function take(parts: HeldParts, part: PartGrant) {
  const { file, hold } = await parts.begin(part)
  await file.write(Buffer.alloc(part.size, part.partNumber), 0, part.size, part.offset)
  await file.close()
  await hold(crc32(Buffer.alloc(part.size, part.partNumber)))
}

it('starts once where many first parts come at once', async () => {
  const parts = await OwnHeldParts.open(folders)
  const key = newStorageKey()
  const numbers = Array.from({ length: 20 }, (_, index) => index + 1)
  await Promise.all(numbers.map((partNumber) => take(parts, grant(key, partNumber))))
  expect((await parts.list(key)).map(({ partNumber }) => partNumber)).toEqual(numbers)
  expect([...(await readFile(folders.uploadPath(key)))]).toEqual(numbers)
})

it('keeps 10,000 parts, shuffled, through a restart', async () => {
  const key = newStorageKey()
  const parts = await OwnHeldParts.open(folders)
  const numbers = Array.from({ length: 10_000 }, (_, index) => ((index * 7919) % 10_000) + 1)
  for (let from = 0; from < numbers.length; from += 100) {
    const some = numbers.slice(from, from + 100)
    await Promise.all(some.map((partNumber) => take(parts, grant(key, partNumber))))
  }
  expect(await parts.areWhole(key, 10_000)).toBe(true)
  const reopened = await OwnHeldParts.open(folders)
  expect(await reopened.list(key)).toEqual(await parts.list(key))
  expect(await reopened.areWhole(key, 10_000)).toBe(true)
  await take(reopened, grant(key, 5000))
  expect(await reopened.areWhole(key, 10_000)).toBe(true)
  await (await reopened.begin(grant(key, 5000))).file.close()
  expect(await reopened.areWhole(key, 10_000)).toBe(false)
  expect(await reopened.bytes(key)).toBe(9999)
})

it('takes parts that leave a gap or overlap for no whole file', async () => {
  const parts = await OwnHeldParts.open(folders)
  const key = newStorageKey()
  await take(parts, grant(key, 1, 10))
  await take(parts, { ...grant(key, 2, 10), offset: 5 })
  expect(await parts.bytes(key)).toBe(20)
  expect(await parts.areWhole(key, 20)).toBe(false)
})

it('remembers nothing of what was discarded or forgotten', async () => {
  const parts = await OwnHeldParts.open(folders)
  for (const end of ['discard', 'forget'] as const) {
    const key = newStorageKey()
    await take(parts, grant(key, 1))
    expect(await parts.isInParts(key)).toBe(true)
    await parts[end](key)
    await parts[end](key)
    expect(await parts.isInParts(key)).toBe(false)
    expect([await parts.list(key), await parts.bytes(key)]).toEqual([[], null])
  }
  const left = await readdir(join(dataDir, 'uploads'))
  const reopened = await OwnHeldParts.open(folders)
  for (const name of left)
    expect(await reopened.isInParts(name)).toBe(left.includes(`${name}.parts`))
})

it('asks anew after a failure', async () => {
  const key = newStorageKey()
  await take(await OwnHeldParts.open(folders), grant(key, 1))
  const reopened = await OwnHeldParts.open(folders)
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
