import { openAsBlob } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import { isSystemFile } from '../shared/rules/files/system-files.ts'
import { CliError } from './cli-error.ts'

/** A file to upload. `lastModified` is in epoch milliseconds. */
export interface LocalFile {
  path: string
  name: string
  size: number
  lastModified: number
}

/**
 * Lists files and those in folders, as an upload in the browser does: sorted as file managers do,
 * a folder's own files before those of its subfolders, without the files that systems add.
 * @throws {CliError} if a path can't be read.
 */
export async function findFiles(paths: readonly string[]): Promise<LocalFile[]> {
  const files: LocalFile[] = []
  for (const path of paths.map((path) => resolve(path))) {
    const { isFolder, file } = await inspect(path)
    if (isFolder) await addFolder(path, files)
    else if (file) files.push(file)
    else throw new CliError(`${path} is not a file or folder.`)
  }
  return files
}

async function addFolder(folder: string, files: LocalFile[]): Promise<void> {
  const { compare } = new Intl.Collator(undefined, { numeric: true })
  const subfolders: string[] = []
  const entries = await readdir(folder, { withFileTypes: true })
  for (const entry of entries.sort((a, b) => compare(a.name, b.name))) {
    const path = join(folder, entry.name)
    const { isFolder, file } = await inspect(path)
    // A symbolic link to a folder could lead back here.
    if (isFolder && entry.isDirectory()) subfolders.push(path)
    else if (file && !isSystemFile(entry.name)) files.push(file)
  }
  for (const subfolder of subfolders) await addFolder(subfolder, files)
}

async function inspect(path: string): Promise<{ isFolder: boolean; file: LocalFile | null }> {
  const stats = await stat(path).catch((error: NodeJS.ErrnoException) => {
    throw new CliError(`${path} can't be read: ${error.code}`)
  })
  const { size, mtimeMs: lastModified } = stats
  const file = stats.isFile() ? { path, name: basename(path), size, lastModified } : null
  return { isFolder: stats.isDirectory(), file }
}

/** Opens a file for the upload engine. Reads fail if the file has changed since. */
export async function openFile({ path, name, lastModified }: LocalFile): Promise<File> {
  return Object.assign(await openAsBlob(path), { name, lastModified }) as File
}
