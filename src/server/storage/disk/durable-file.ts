import { randomUUID } from 'node:crypto'
import * as nodeFs from 'node:fs/promises'
import { dirname } from 'node:path'
import { type FileSystem, syncFolder } from './file-system.ts'

/** The file system functions that this file uses. Tests replace them to simulate power cuts. */
type WriteOperations = Pick<FileSystem, 'open' | 'rename' | 'rm'>

/**
 * Atomically creates a text file that only its owner can read. After a crash, the file is either
 * complete or missing. Once this resolves, the file survives a power cut. An interrupted call can
 * leave `<path>.<uuid>` behind.
 * @throws an error with the code EEXIST if `path` exists. The existing file is not changed.
 */
export async function createFile(
  path: string,
  text: string,
  fs: WriteOperations & { link(from: string, to: string): Promise<void> } = nodeFs,
): Promise<void> {
  const tempPath = `${path}.${randomUUID()}`
  try {
    await writeSynced(tempPath, text, fs)
    await fs.link(tempPath, path)
  } finally {
    await fs.rm(tempPath, { force: true })
  }
  await syncFolder(fs, dirname(path))
}

/**
 * Atomically writes or replaces a text file that only its owner can read. After a crash, `path` has
 * either its old content or the complete new text. Once this resolves, the new text survives a
 * power cut. An interrupted call can leave `<path>.new` behind.
 */
export async function replaceFile(
  path: string,
  text: string,
  fs: WriteOperations = nodeFs,
): Promise<void> {
  const tempPath = `${path}.new`
  await fs.rm(tempPath, { force: true })
  await writeSynced(tempPath, text, fs)
  await fs.rename(tempPath, path)
  await syncFolder(fs, dirname(path))
}

async function writeSynced(path: string, text: string, fs: WriteOperations): Promise<void> {
  const file = await fs.open(path, 'wx', 0o600)
  try {
    await file.writeFile(text)
    await file.sync()
  } finally {
    await file.close()
  }
}
