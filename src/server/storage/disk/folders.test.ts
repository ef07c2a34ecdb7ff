import * as fs from 'node:fs/promises'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { newStorageKey } from '../storage-key.ts'
import { Folders } from './folders.ts'

let dataDir: string
let folders: Folders
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'mayfly-folders-'))
  folders = await Folders.open(fs, dataDir)
})
afterAll(() => rm(dataDir, { recursive: true, force: true }))

it("can open the same data folder twice, even if it doesn't exist yet", async () => {
  const missingDir = join(dataDir, 'not', 'yet')
  await Promise.all([Folders.open(fs, missingDir), Folders.open(fs, missingDir)])
  await Folders.open(fs, missingDir)
})

it('rejects sealing a file of another size', async () => {
  const key = newStorageKey()
  await writeFile(join(dataDir, 'uploads', key), 'hell')
  const mismatch = { name: 'SizeMismatch', expected: 5, actual: 4 }
  await expect(folders.seal(key, 5)).rejects.toMatchObject(mismatch)
  expect(await folders.sealedSize(key)).toBeNull()
  expect(await folders.storedSize(key)).toBe(4)
})

it('rejects invalid storage keys', async () => {
  for (const key of ['', '.', '..', '../uploads', newStorageKey().toUpperCase()]) {
    await expect(folders.storedSize(key)).rejects.toThrow(RangeError)
    await expect(folders.remove(key)).rejects.toThrow(RangeError)
  }
})

it('ignores unrelated files when listing', async () => {
  const key = newStorageKey()
  await writeFile(join(dataDir, 'uploads', key), '')
  await writeFile(join(dataDir, 'uploads', 'notes.txt'), '')
  await writeFile(join(dataDir, 'files', newStorageKey()), '')
  await mkdir(join(dataDir, 'uploads', newStorageKey()))
  await folders.remove('0'.repeat(26))
  const keys: string[] = []
  for await (const object of folders.list()) keys.push(object.key)
  expect(keys).toContain(key)
  expect(keys.every((storageKey) => storageKey.length === 26)).toBe(true)
  expect(keys).toHaveLength(2)
})
