import { randomUUID } from 'node:crypto'
import * as nodeFs from 'node:fs/promises'
import { dirname } from 'node:path'
import { type FileSystem, syncFolder } from './file-system.ts'

/**
 * The functions of `node:fs/promises` that this file writes with. Tests pass others, which simulate
 * a power cut.
 */
type Writing = Pick<FileSystem, 'open' | 'rename' | 'rm'>

/**
 * Makes a file with this text that only its owner can read. Even after a crash, the file is either
 * complete or missing. Once this resolves, the file survives a power cut. A call that was
 * interrupted can leave `<path>.<uuid>` behind.
 * @throws an error with the code EEXIST when `path` already exists. That file does not change.
 */
export async function createFile(
  path: string,
  text: string,
  fs: Writing & { link(from: string, to: string): Promise<void> } = nodeFs,
): Promise<void> {
  const fresh = `${path}.${randomUUID()}`
  try {
    await writeSynced(fresh, text, fs)
    await fs.link(fresh, path)
  } finally {
    await fs.rm(fresh, { force: true })
  }
  await syncFolder(fs, dirname(path))
}

/**
 * Writes a file that only its owner can read. It replaces the file at `path`, if there is one. Even
 * after a crash, `path` contains the complete old text or the complete new text. Once this
 * resolves, the new text survives a power cut. A call that was interrupted can leave `<path>.new`
 * behind.
 */
export async function replaceFile(path: string, text: string, fs: Writing = nodeFs): Promise<void> {
  const fresh = `${path}.new`
  await fs.rm(fresh, { force: true })
  await writeSynced(fresh, text, fs)
  await fs.rename(fresh, path)
  await syncFolder(fs, dirname(path))
}

async function writeSynced(path: string, text: string, fs: Writing): Promise<void> {
  const file = await fs.open(path, 'wx', 0o600)
  try {
    await file.writeFile(text)
    await file.sync()
  } finally {
    await file.close()
  }
}
