import { mkdir, mkdtemp, rm, symlink, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { takenBytes } from './taken-bytes.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mayfly-taken-'))
})
afterEach(() => rm(folder, { recursive: true }))

const kilobyte = 1024

test('a missing path uses no space', async () => {
  expect(await takenBytes(join(folder, 'none'))).toBe(0)
})

test('a folder uses the blocks of all its files', async () => {
  const before = await takenBytes(folder)
  await mkdir(join(folder, 'a', 'b'), { recursive: true })
  const paths = Array.from({ length: 70 }, (_, n) => join(folder, n < 65 ? 'a' : 'a/b', `${n}`))
  await Promise.all(paths.map((path) => writeFile(path, Buffer.alloc(64 * kilobyte, 1))))
  const taken = (await takenBytes(folder)) - before
  expect(taken).toBeGreaterThanOrEqual(70 * 64 * kilobyte)
  // The folders themselves may use some blocks too.
  expect(taken).toBeLessThan(71 * 64 * kilobyte + 64 * kilobyte)
})

test('neither holes nor symbolic links count', async () => {
  const large = join(folder, 'large')
  await writeFile(large, Buffer.alloc(1024 * kilobyte, 1))
  const inner = join(folder, 'inner')
  await mkdir(inner)
  const before = await takenBytes(inner)
  await symlink(large, join(inner, 'link'))
  await writeFile(join(inner, 'hole'), '')
  await truncate(join(inner, 'hole'), 1024 * kilobyte)
  expect((await takenBytes(inner)) - before).toBeLessThan(64 * kilobyte)
})
