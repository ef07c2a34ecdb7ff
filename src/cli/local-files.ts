import { createReadStream } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import { arrayBuffer } from 'node:stream/consumers'
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
 * Lists files and those in folders, without the files that systems add to folders.
 * @throws if a path can't be read or is neither a file nor a folder.
 */
export async function findFiles(paths: readonly string[]): Promise<LocalFile[]> {
  const files: LocalFile[] = []
  for (const path of paths.map((path) => resolve(path))) {
    const stats = await stat(path)
    const { size, mtimeMs: lastModified } = stats
    if (stats.isFile()) files.push({ path, name: basename(path), size, lastModified })
    else if (!stats.isDirectory()) throw new CliError(`${path} is neither a file nor a folder.`)
    else {
      const names = (await readdir(path)).filter((name) => !isSystemFile(name))
      const { compare } = new Intl.Collator(undefined, { numeric: true })
      files.push(...(await findFiles(names.sort(compare).map((name) => join(path, name)))))
    }
  }
  return files
}

/**
 * Opens a file, or a part of it, with the Blob methods that the upload engine uses. Node's own Blob
 * gets sizes of 4 GiB and more wrong. Reads fail if the file has changed since it was found.
 */
export function openFile(file: LocalFile, start = 0, end = file.size): Blob {
  const { path, lastModified } = file
  const blob = {
    size: end - start,
    slice: (from: number, to: number) => openFile(file, start + from, Math.min(start + to, end)),
    async *stream() {
      const { mtimeMs } = await stat(path)
      if (mtimeMs !== lastModified) throw new CliError(`${path} has changed.`)
      if (end > start) yield* createReadStream(path, { start, end: end - 1 })
    },
    arrayBuffer: () => arrayBuffer(blob.stream()),
  }
  return blob as unknown as Blob
}
