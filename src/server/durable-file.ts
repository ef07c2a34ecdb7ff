import { randomUUID } from 'node:crypto'
import * as nodeFs from 'node:fs/promises'
import { dirname } from 'node:path'
import type { FileSystem } from './storage/disk/file-system.ts'
import { syncFolder } from './storage/disk/folder-sync.ts'

/** The functions of `node:fs/promises` that write here. A test gives others, to cut the power. */
type Writing = Pick<FileSystem, 'open' | 'rename' | 'rm'> & {
  link(from: string, to: string): Promise<void>
}

/**
 * Makes a file with this text that only its owner can read. Whatever happens, the file is there
 * whole or not at all. When this resolves, it survives a power cut.
 * @throws with the code EEXIST when there is such a file. It stays as it is.
 */
export async function createFile(path: string, text: string, fs: Writing = nodeFs): Promise<void> {
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
 * Writes a file that only its owner can read, in place of the one that is there. Whatever happens,
 * there is the old file or the new one, whole. When this resolves, the new one survives a power
 * cut. A try that was cut off can leave `<path>.new`.
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
