import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import * as nodeFs from 'node:fs/promises'
import { chmod, mkdir, readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { type Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { z } from 'zod'
import { replaceFile } from '../durable-file.ts'
import { codeOf, StartFault } from '../start-fault.ts'
import { unlessMissing } from '../storage/disk/file-system.ts'
import { syncFolder } from '../storage/disk/folder-sync.ts'
import { isStorageKey } from '../storage/storage-key.ts'

/*
 * A backup is a folder:
 * - `manifest.json` says what is in it. It is written last, so a backup without it is incomplete.
 * - `rows/` has a file for each table, in the format of COPY.
 * - `objects.ndjson` has a line for each object, in the order of the keys.
 * - `files/` has the objects, as a disk store has them.
 * - `secret` and `admin-password` are those of the data folder, if they are there.
 */

const sha256 = z.string().regex(/^[\da-f]{64}$/)

/** One line of `objects.ndjson`. Without a SHA-256, the bytes were removed during the backup. */
const objectSchema = z.object({
  key: z.string().refine(isStorageKey),
  size: z.int().nonnegative(),
  sha256: sha256.nullable(),
  /** The file's bytes should be there, but were missing or altered when the backup was made. */
  isFault: z.boolean(),
})
export type BackupObject = z.infer<typeof objectSchema>

/**
 * Nothing vouches for the manifest: whoever can write to the backup can write anything here. So its
 * names of tables and columns are compared with those of the database, and never stand in SQL.
 */
const manifestSchema = z.object({
  format: z.literal(1),
  madeAt: z.iso.datetime(),
  /** The newest migration of the database. */
  migration: z.string(),
  installation: z.string(),
  rows: z.array(
    z.object({
      table: z.string(),
      file: z.string().regex(/^[\w.]+$/),
      columns: z.array(z.object({ name: z.string() })),
      count: z.int().nonnegative(),
      sha256,
    }),
  ),
  objects: z.object({
    count: z.int().nonnegative(),
    bytes: z.int().nonnegative(),
    sha256,
  }),
})
export type Manifest = z.infer<typeof manifestSchema>

export const objectsFile = 'objects.ndjson'
/** What a backup copies of the data folder, beside the files. */
export const secretFiles = ['secret', 'admin-password'] as const
const manifestFile = 'manifest.json'
const written = [...secretFiles, manifestFile]
const ours: readonly string[] = [
  ...written,
  ...written.map((name) => `${name}.new`),
  objectsFile,
  'files',
  'listed.ndjson',
  'rows',
  'uploads',
]

/**
 * Makes the folder of a new backup, and closes one that is there to everybody but its owner. A
 * folder in which a backup was interrupted is continued.
 * @throws {StartFault} when the folder has a backup or other things, or cannot be made.
 */
export async function prepareBackupFolder(folder: string): Promise<void> {
  try {
    await mkdir(join(folder, 'rows'), { recursive: true, mode: 0o700 })
  } catch (error) {
    throw new StartFault(`The folder ${folder} cannot be written to (${codeOf(error)}).`, {
      cause: error,
    })
  }
  const found = await readdir(folder)
  if (found.includes(manifestFile)) {
    throw new StartFault(`${folder} has a backup already. Give each backup a folder of its own.`)
  }
  const foreign = found.find((name) => !ours.includes(name))
  if (foreign !== undefined) {
    throw new StartFault(`${folder} has other things in it (${foreign}). Give an empty folder.`)
  }
  await closeToOthers(folder)
}

/** @throws {StartFault} when others can read the folder, and that cannot be changed. */
async function closeToOthers(folder: string): Promise<void> {
  const { mode } = await stat(folder)
  if ((mode & 0o077) === 0) return
  try {
    await chmod(folder, mode & 0o7700)
  } catch (error) {
    throw new StartFault(
      `Other users can read ${folder}, and this user may not change that (${codeOf(error)}). Give a folder of your own.`,
      { cause: error },
    )
  }
}

/** Completes a backup. When this resolves, it survives a power cut. */
export async function writeManifest(folder: string, manifest: Manifest): Promise<void> {
  for (const name of ['rows', '.']) await syncFolder(nodeFs, join(folder, name))
  await replaceFile(join(folder, manifestFile), `${JSON.stringify(manifest, null, 2)}\n`)
}

/** @throws {StartFault} when the folder has no complete backup that this version can read. */
export async function readManifest(folder: string): Promise<Manifest> {
  let text: string
  try {
    text = await readFile(join(folder, manifestFile), 'utf8')
  } catch (error) {
    throw new StartFault(
      `${folder} has no complete backup: manifest.json cannot be read (${codeOf(error)}).`,
      { cause: error },
    )
  }
  const parsed = manifestSchema.safeParse(jsonIn(text))
  if (parsed.success) return parsed.data
  throw new StartFault(`${join(folder, manifestFile)} is damaged, or of another version of Mayfly.`)
}

/** Returns the text of a file, or null where there is none. */
export function textOf(path: string): Promise<string | null> {
  return unlessMissing(readFile(path, 'utf8'))
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/**
 * Writes a file of a backup, durably.
 * @returns the SHA-256 of its bytes.
 */
export async function writeHashed(path: string, bytes: AsyncIterable<string | Buffer>) {
  const hash = new Hashing()
  await pipeline(bytes, hash, createWriteStream(path, { mode: 0o600, flush: true }))
  return hash.sha256()
}

/**
 * Reads a file of a backup. The stream fails at its end if the bytes do not have this SHA-256.
 */
export function readHashed(path: string, wanted: string): Readable {
  const hash = new Hashing(wanted)
  const file = createReadStream(path)
  file.on('error', (error) => hash.destroy(error))
  return file.pipe(hash)
}

/** Passes bytes on and computes their SHA-256. */
class Hashing extends Transform {
  readonly #hash = createHash('sha256')
  readonly #wanted: string | undefined
  #sha256 = ''

  constructor(wanted?: string) {
    super()
    this.#wanted = wanted
  }

  sha256(): string {
    return this.#sha256
  }

  override _transform(chunk: Buffer, _: BufferEncoding, done: (error: null, data: Buffer) => void) {
    this.#hash.update(chunk)
    done(null, chunk)
  }

  override _flush(done: (error?: Error) => void) {
    this.#sha256 = this.#hash.digest('hex')
    const isRight = this.#wanted === undefined || this.#wanted === this.#sha256
    done(isRight ? undefined : new StartFault('The backup is damaged: a file of it was altered.'))
  }
}

/** Reads the objects of a backup. Fails at the end if the list does not have this SHA-256. */
export async function* readObjects(folder: string, wanted: string): AsyncGenerator<BackupObject> {
  for await (const line of linesOf(readHashed(join(folder, objectsFile), wanted))) {
    const object = objectSchema.safeParse(jsonIn(line))
    if (!object.success) throw new StartFault(`The backup is damaged: look at ${objectsFile}.`)
    yield object.data
  }
}

/** Yields the lines of a text, without their ends. Fails if the stream fails. */
export async function* linesOf(text: Readable): AsyncGenerator<string> {
  let rest = ''
  for await (const chunk of text.setEncoding('utf8')) {
    const lines = `${rest}${chunk}`.split('\n')
    rest = lines.pop() ?? ''
    yield* lines
  }
  if (rest !== '') yield rest
}
