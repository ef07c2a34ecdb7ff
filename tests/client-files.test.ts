import { mkdtemp, open, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { findFiles, openFile } from '../src/cli/local-files.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mayfly-files-'))
})
afterEach(() => rm(folder, { recursive: true }))

async function openPath(path: string) {
  const [found] = await findFiles([path])
  if (!found) throw new Error('Expected a file.')
  return openFile(found)
}

test('a file of more than 4 GiB is read to its end', async () => {
  const path = join(folder, 'large')
  const size = 5 * 1024 ** 3
  const handle = await open(path, 'w')
  await handle.write('the end', size - 7)
  await handle.close()
  const file = await openPath(path)
  expect(file.size).toBe(size)
  const part = file.slice(size - 100, size + 100)
  expect(part.size).toBe(100)
  expect(await text(part.slice(93, 100).stream())).toBe('the end')
})

test('a file that has changed can no longer be read', async () => {
  const path = join(folder, 'file')
  await writeFile(path, 'text')
  const file = await openPath(path)
  expect((await file.slice(1, 2).arrayBuffer()).byteLength).toBe(1)
  await utimes(path, 1, 1)
  await expect(file.slice(1, 2).arrayBuffer()).rejects.toThrow('changed')
})
