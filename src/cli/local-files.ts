import { createReadStream } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import { arrayBuffer } from 'node:stream/consumers'
import { isSystemFile } from '../shared/rules/files/system-files.ts'
import { CliError } from './cli-error.ts'

const chunkSize = 256 * 1024

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

/**
 * A file or a part of it, as much of a Blob as the upload engine uses. Node's own gets sizes of
 * 4 GiB and more wrong. Reads fail if the file has changed since it was found.
 */
class LocalBlob {
  readonly type = ''
  readonly name: string
  readonly lastModified: number
  readonly size: number
  readonly #file: LocalFile
  readonly #start: number

  constructor(file: LocalFile, start = 0, end = file.size) {
    this.name = file.name
    this.lastModified = file.lastModified
    this.size = end - start
    this.#file = file
    this.#start = start
  }

  slice(start: number, end: number): LocalBlob {
    const limit = Math.min(end, this.size)
    return new LocalBlob(this.#file, this.#start + start, this.#start + limit)
  }

  async *stream(): AsyncGenerator<Buffer> {
    const { path, size, lastModified } = this.#file
    const stats = await stat(path)
    if (stats.size !== size || stats.mtimeMs !== lastModified) throw new Error('The file changed.')
    if (this.size === 0) return
    const end = this.#start + this.size - 1
    yield* createReadStream(path, { start: this.#start, end, highWaterMark: chunkSize })
  }

  arrayBuffer(): Promise<ArrayBuffer> {
    return arrayBuffer(this.stream())
  }
}

/** Opens a file for the upload engine. */
export function openFile(file: LocalFile): File {
  return new LocalBlob(file) as unknown as File
}
