import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { powerCuts } from '../../../../tests/support/power-cut.ts'
import { recordDisk } from '../../../../tests/support/recorded-disk.ts'
import { createFile, replaceFile } from './durable-file.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mayfly-durable-'))
})
afterEach(() => rm(folder, { recursive: true }))

const text = 'a secret of 32 characters and more\n'

function readOrNull(path: string): Promise<string | null> {
  return readFile(path, 'utf8').catch(() => null)
}

/**
 * Returns the file contents that a power cut can leave behind, before and after `write` resolves.
 */
async function contentsAfterCuts(
  write: (path: string, disk: ReturnType<typeof recordDisk>) => Promise<void>,
) {
  const recordedFolder = join(folder, 'written')
  await mkdir(recordedFolder)
  const disk = recordDisk(recordedFolder)
  await write(join(recordedFolder, 'secret'), disk)
  disk.promise('written')
  const contents = { before: new Set<string | null>(), after: new Set<string | null>() }
  let cutCount = 0
  for (const { promises, restore } of powerCuts(disk)) {
    cutCount += 1
    const restoredFolder = join(folder, String(cutCount))
    await mkdir(restoredFolder)
    await restore(restoredFolder)
    contents[promises.has('written') ? 'after' : 'before'].add(
      await readOrNull(join(restoredFolder, 'secret')),
    )
  }
  return contents
}

test('a created file is complete or missing after a power cut, and complete once created', async () => {
  const contents = await contentsAfterCuts((path, { fileSystem }) =>
    createFile(path, text, fileSystem),
  )
  expect(contents).toEqual({ before: new Set([null, text]), after: new Set([text]) })
})

test('a replaced file has its old or new content after a power cut, and only the new content once replaced', async () => {
  const contents = await contentsAfterCuts(async (path, { fileSystem }) => {
    await createFile(path, 'old', fileSystem)
    await replaceFile(path, text, fileSystem)
  })
  expect(contents).toEqual({ before: new Set([null, 'old', text]), after: new Set([text]) })
})

test('an existing file is not overwritten, and no temporary file remains', async () => {
  const path = join(folder, 'secret')
  await createFile(path, 'first')
  await expect(createFile(path, 'second')).rejects.toThrow('EEXIST')
  expect(await readFile(path, 'utf8')).toBe('first')
  expect((await stat(path)).mode & 0o777).toBe(0o600)
  expect(await readdir(folder)).toEqual(['secret'])
})

test('a temporary file of an interrupted write is replaced', async () => {
  const path = join(folder, 'secret')
  await writeFile(`${path}.new`, 'half', { mode: 0o644 })
  await replaceFile(path, text)
  expect(await readFile(path, 'utf8')).toBe(text)
  expect((await stat(path)).mode & 0o777).toBe(0o600)
  expect(await readdir(folder)).toEqual(['secret'])
})
