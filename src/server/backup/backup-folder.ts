import { createHash } from 'node:crypto'
import { constants, createWriteStream } from 'node:fs'
import * as nodeFs from 'node:fs/promises'
import {
  chmod,
  type FileHandle,
  mkdir,
  open,
  opendir,
  readdir,
  readFile,
  rm,
} from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { z } from 'zod'
import { minuteInMs } from '../../shared/rules/format/units.ts'
import { codeOf, StartupError } from '../errors.ts'
import { syncFolder } from '../storage/disk/file-system.ts'
import { isStorageKey } from '../storage/storage-key.ts'

/*
 * A backup is a folder:
 * - `rows/` has one file per table, in COPY format.
 * - `files/` has the bytes of each uploaded file, named by its storage key.
 * - `secret` and `admin-password` are copied from the data folder, if they exist.
 * - `manifest.json` describes the backup.
 * - `SHA256SUMS` has the checksums of all other files, for `sha256sum --check`. It is written last,
 *   so a backup without it is incomplete.
 */

const manifestFile = 'manifest.json'
const sumsFile = 'SHA256SUMS'
/** Files in the data folder that a backup includes. */
export const secretFiles = ['secret', 'admin-password'] as const

/** Copying a file fails if no bytes arrive for this long. */
const stallMs = 5 * minuteInMs

/**
 * Table and column names in a manifest aren't trusted, because checksums detect damage but not
 * tampering. They are compared with the database's names and never used in SQL.
 */
const manifestSchema = z.object({
  format: z.literal(2),
  madeAt: z.iso.datetime(),
  /** The newest migration applied to the database. */
  migration: z.string(),
  installation: z.string(),
  rows: z.array(
    z.object({
      table: z.string(),
      file: z.string().regex(/^[\w.]+$/),
      columns: z.array(z.string()),
    }),
  ),
  /** The storage keys of files deleted during the backup. */
  deleted: z.array(z.string().refine(isStorageKey)),
})
export type Manifest = z.infer<typeof manifestSchema>

/** Returns a stored file's path within a backup. */
export function getObjectPath(key: string): string {
  return join('files', key.slice(0, 2), key)
}

/** Writes a backup to a new or empty folder that only its owner can access. */
export class BackupWriter {
  readonly #folder: string
  readonly #checksums: FileHandle

  private constructor(folder: string, checksums: FileHandle) {
    this.#folder = folder
    this.#checksums = checksums
  }

  /**
   * @throws {StartupError} if the folder is a symbolic link, not empty, owned by another user or
   * not writable.
   */
  static async create(folder: string): Promise<BackupWriter> {
    try {
      await mkdir(folder, { recursive: true, mode: 0o700 })
      await requireOwnFolder(folder)
      await requireEmpty(folder)
      await chmod(folder, 0o700)
      // Check again: another user may have put a symbolic link in the folder before it became
      // private.
      await requireEmpty(folder)
      return new BackupWriter(folder, await open(join(folder, `${sumsFile}.new`), 'wx', 0o600))
    } catch (error) {
      if (error instanceof StartupError) throw error
      throw new StartupError(`Cannot write to the folder ${folder} (${codeOf(error)}).`, {
        cause: error,
      })
    }
  }

  /**
   * Writes a file and syncs its content, but not its directory entry. Returns its size and
   * checksum.
   */
  async write(
    path: string,
    bytes: AsyncIterable<string | Buffer>,
  ): Promise<{ size: number; sha256: string }> {
    const targetPath = join(this.#folder, path)
    await mkdir(dirname(targetPath), { recursive: true, mode: 0o700 })
    const hash = createHash('sha256')
    let size = 0
    const stallController = new AbortController()
    const timer = setTimeout(
      () => stallController.abort(new Error('no data for 5 minutes')),
      stallMs,
    )
    try {
      await pipeline(
        bytes,
        async function* (chunks) {
          for await (const chunk of chunks) {
            timer.refresh()
            hash.update(chunk)
            size += chunk.length
            yield chunk
          }
        },
        createWriteStream(targetPath, { mode: 0o600, flush: true }),
        { signal: stallController.signal },
      )
    } finally {
      clearTimeout(timer)
    }
    return { size, sha256: hash.digest('hex') }
  }

  /** Removes a file that doesn't belong in the backup. */
  remove(path: string): Promise<void> {
    return rm(join(this.#folder, path), { force: true })
  }

  async addChecksum(path: string, sha256: string): Promise<void> {
    await this.#checksums.appendFile(`${sha256}  ${path}\n`)
  }

  /** Writes the manifest and syncs the backup, which is then complete. */
  async complete(manifest: Manifest): Promise<void> {
    const text = `${JSON.stringify(manifest, null, 2)}\n`
    const { sha256 } = await this.write(manifestFile, Readable.from([text]))
    await this.addChecksum(manifestFile, sha256)
    await this.#checksums.sync()
    for await (const entry of await opendir(this.#folder, { recursive: true })) {
      if (entry.isDirectory()) await syncFolder(nodeFs, join(entry.parentPath, entry.name))
    }
    await nodeFs.rename(join(this.#folder, `${sumsFile}.new`), join(this.#folder, sumsFile))
    await syncFolder(nodeFs, this.#folder)
    await syncFolder(nodeFs, dirname(this.#folder))
  }

  close(): Promise<void> {
    return this.#checksums.close()
  }
}

async function requireOwnFolder(folder: string): Promise<void> {
  let handle: FileHandle
  try {
    handle = await open(folder, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW)
  } catch (error) {
    if (codeOf(error) !== 'ELOOP' && codeOf(error) !== 'ENOTDIR') throw error
    throw new StartupError(
      `${folder} is not a folder. Name a new or empty folder, not a link to one.`,
    )
  }
  try {
    const { uid } = await handle.stat()
    if (uid === process.getuid?.()) return
  } finally {
    await handle.close()
  }
  throw new StartupError(`${folder} belongs to another user. Name a new folder or one of your own.`)
}

async function requireEmpty(folder: string): Promise<void> {
  const [firstEntry] = await readdir(folder)
  if (firstEntry === undefined) return
  throw new StartupError(
    `${folder} is not empty (${firstEntry}). Name a new or empty folder, and remove an incomplete backup.`,
  )
}

/** A backup whose files all match their checksums. */
export interface VerifiedBackup {
  folder: string
  manifest: Manifest
}

/**
 * Reads a backup and verifies every file's checksum.
 * @throws {StartupError} if the backup is incomplete or altered.
 */
export async function verifyBackup(folder: string): Promise<VerifiedBackup> {
  const fileCount = await countFiles(folder)
  let listedCount = 0
  for await (const { path, sha256 } of readChecksums(folder)) {
    for await (const _ of readVerified(folder, path, sha256));
    listedCount += 1
  }
  if (fileCount !== listedCount + 1) {
    throw createDamagedBackupError(
      `it has ${fileCount} files, and ${sumsFile} lists ${listedCount} of them`,
    )
  }
  const parsed = manifestSchema.safeParse(
    parseJson(await readFile(join(folder, manifestFile), 'utf8')),
  )
  if (parsed.success) return { folder, manifest: parsed.data }
  throw new StartupError(`${join(folder, manifestFile)} is from another version of Mayfly.`)
}

async function countFiles(folder: string): Promise<number> {
  try {
    let count = 0
    for await (const entry of await opendir(folder, { recursive: true })) {
      if (entry.isDirectory()) continue
      if (!entry.isFile()) throw createDamagedBackupError(`${entry.name} is not a regular file`)
      count += 1
    }
    return count
  } catch (error) {
    if (error instanceof StartupError) throw error
    throw new StartupError(`Cannot read the folder ${folder} (${codeOf(error)}).`, { cause: error })
  }
}

export async function* readChecksums(
  folder: string,
): AsyncGenerator<{ path: string; sha256: string }> {
  let file: FileHandle
  try {
    file = await open(join(folder, sumsFile))
  } catch (error) {
    throw new StartupError(
      `${folder} has no complete backup: cannot read ${sumsFile} (${codeOf(error)}).`,
      { cause: error },
    )
  }
  for await (const line of createInterface({ input: file.createReadStream() })) {
    const [, sha256, path] = /^([\da-f]{64}) {2}([\w./-]+)$/.exec(line) ?? []
    if (!sha256 || !path || path.includes('..'))
      throw createDamagedBackupError(`${sumsFile} is not a valid list`)
    yield { path, sha256 }
  }
}

/** Reads a file from a backup. Throws after the last byte if the checksum doesn't match. */
export async function* readVerified(
  folder: string,
  path: string,
  sha256: string,
): AsyncGenerator<Buffer> {
  const hash = createHash('sha256')
  const file = await open(join(folder, path)).catch((error) => {
    throw codeOf(error) === 'ENOENT' ? createDamagedBackupError(`${path} is missing`) : error
  })
  for await (const chunk of file.createReadStream()) {
    hash.update(chunk)
    yield chunk
  }
  if (hash.digest('hex') !== sha256) throw createDamagedBackupError(`${path} was altered`)
}

/** Returns the error for a damaged backup. */
export function createDamagedBackupError(reason: string): StartupError {
  return new StartupError(`The backup is damaged: ${reason}. Nothing was restored.`)
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
