import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import * as nodeFs from 'node:fs/promises'
import { chmod, mkdir, readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { type Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { z } from 'zod'
import { codeOf, StartupError } from '../errors.ts'
import { replaceFile } from '../storage/disk/durable-file.ts'
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
 *
 * An *object* is the bytes of one uploaded file, under its storage key.
 */

const sha256 = z.string().regex(/^[\da-f]{64}$/)

/**
 * One line of `objects.ndjson`. If `sha256` is null, the backup does not have the bytes: they were
 * removed during the backup, or `isFault` is true.
 */
const objectSchema = z.object({
  key: z.string().refine(isStorageKey),
  size: z.int().nonnegative(),
  sha256: sha256.nullable(),
  /** Storage should have had the file's bytes, but they were missing or altered. */
  isFault: z.boolean(),
})
export type BackupObject = z.infer<typeof objectSchema>

/**
 * The manifest is not signed, so anyone who can write to the backup can change it. So its names of
 * tables and columns are only compared with those of the database. SQL never contains them.
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
/** The files of the data folder that a backup copies, besides the uploaded ones. */
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
 * Prepares the folder of a backup: creates it if it does not exist, and makes sure that only its
 * owner can open it. It may contain what an interrupted backup has left.
 * @throws {StartupError} when the folder contains a complete backup, or things that are not of a
 * backup, or when it cannot be created or closed to others.
 */
export async function prepareBackupFolder(folder: string): Promise<void> {
  try {
    await mkdir(join(folder, 'rows'), { recursive: true, mode: 0o700 })
  } catch (error) {
    throw new StartupError(`The folder ${folder} cannot be written to (${codeOf(error)}).`, {
      cause: error,
    })
  }
  const found = await readdir(folder)
  if (found.includes(manifestFile)) {
    throw new StartupError(`${folder} has a backup already. Give each backup a folder of its own.`)
  }
  const foreign = found.find((name) => !ours.includes(name))
  if (foreign !== undefined) {
    throw new StartupError(`${folder} has other things in it (${foreign}). Give an empty folder.`)
  }
  await closeToOthers(folder)
}

/** @throws {StartupError} when others can open the folder and its mode cannot be changed. */
async function closeToOthers(folder: string): Promise<void> {
  const { mode } = await stat(folder)
  if ((mode & 0o077) === 0) return
  try {
    await chmod(folder, mode & 0o7700)
  } catch (error) {
    throw new StartupError(
      `Other users can read ${folder}, and this user may not change that (${codeOf(error)}). Give a folder of your own.`,
      { cause: error },
    )
  }
}

/** Completes a backup. When this resolves, the backup survives a power cut. */
export async function writeManifest(folder: string, manifest: Manifest): Promise<void> {
  for (const name of ['rows', '.']) await syncFolder(nodeFs, join(folder, name))
  await replaceFile(join(folder, manifestFile), `${JSON.stringify(manifest, null, 2)}\n`)
}

/** @throws {StartupError} when the folder has no complete backup that this version can read. */
export async function readManifest(folder: string): Promise<Manifest> {
  let text: string
  try {
    text = await readFile(join(folder, manifestFile), 'utf8')
  } catch (error) {
    throw new StartupError(
      `${folder} has no complete backup: manifest.json cannot be read (${codeOf(error)}).`,
      { cause: error },
    )
  }
  const parsed = manifestSchema.safeParse(jsonIn(text))
  if (parsed.success) return parsed.data
  throw new StartupError(
    `${join(folder, manifestFile)} is damaged, or of another version of Mayfly.`,
  )
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

/** Reads a file of a backup. The stream fails at its end if the SHA-256 of the file is wrong. */
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
    done(isRight ? undefined : new StartupError('The backup is damaged: a file of it was altered.'))
  }
}

/** Reads `objects.ndjson`. Fails at the end if the SHA-256 of this file is not `wanted`. */
export async function* readObjects(folder: string, wanted: string): AsyncGenerator<BackupObject> {
  for await (const line of linesOf(readHashed(join(folder, objectsFile), wanted))) {
    const object = objectSchema.safeParse(jsonIn(line))
    if (!object.success) throw new StartupError(`The backup is damaged: look at ${objectsFile}.`)
    yield object.data
  }
}

/** Yields the lines of a text, without the line breaks. Fails if the stream fails. */
export async function* linesOf(text: Readable): AsyncGenerator<string> {
  let rest = ''
  for await (const chunk of text.setEncoding('utf8')) {
    const lines = `${rest}${chunk}`.split('\n')
    rest = lines.pop() ?? ''
    yield* lines
  }
  if (rest !== '') yield rest
}
