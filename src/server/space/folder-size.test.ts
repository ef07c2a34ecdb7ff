import { mkdir, mkdtemp, rm, symlink, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { measureDiskUsage } from './folder-size.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mayfly-taken-'))
})
afterEach(() => rm(folder, { recursive: true }))

const kilobyte = 1024

test('a missing path uses no space', async () => {
  expect(await measureDiskUsage(join(folder, 'none'))).toBe(0)
})

test('a folder uses the blocks of all its files', async () => {
  const usageBefore = await measureDiskUsage(folder)
  await mkdir(join(folder, 'a', 'b'), { recursive: true })
  const paths = Array.from({ length: 70 }, (_, n) => join(folder, n < 65 ? 'a' : 'a/b', `${n}`))
  await Promise.all(paths.map((path) => writeFile(path, Buffer.alloc(64 * kilobyte, 1))))
  const addedBytes = (await measureDiskUsage(folder)) - usageBefore
  expect(addedBytes).toBeGreaterThanOrEqual(70 * 64 * kilobyte)
  // The folders themselves may use some blocks too.
  expect(addedBytes).toBeLessThan(71 * 64 * kilobyte + 64 * kilobyte)
})

test('neither holes nor symbolic links count', async () => {
  const largeFile = join(folder, 'large')
  await writeFile(largeFile, Buffer.alloc(1024 * kilobyte, 1))
  const innerFolder = join(folder, 'inner')
  await mkdir(innerFolder)
  const usageBefore = await measureDiskUsage(innerFolder)
  await symlink(largeFile, join(innerFolder, 'link'))
  await writeFile(join(innerFolder, 'hole'), '')
  await truncate(join(innerFolder, 'hole'), 1024 * kilobyte)
  expect((await measureDiskUsage(innerFolder)) - usageBefore).toBeLessThan(64 * kilobyte)
})
