import { type FileHandle, open, readFile } from 'node:fs/promises'
import { crc32 } from 'node:zlib'
import { z } from 'zod'
import { maxPartCount } from '../../../shared/rules/part-plan.ts'
import type { PartGrant, StoredPart } from '../storage.ts'
import type { FileDigests } from './file-digests.ts'
import { unlessMissing } from './file-system.ts'
import type { Folders } from './folders.ts'

const blockBytes = 1024 * 1024
const count = z.int().nonnegative()

/**
 * One line of the list describes one part. `crc32` was computed by the server from the part's
 * bytes.
 */
const heldPart = z.object({
  partNumber: z.int().positive().max(maxPartCount),
  offset: count,
  size: count,
  crc32: count.max(0xffffffff),
})
type HeldPart = z.output<typeof heldPart>

/** The parts of one upload that have arrived completely. */
interface Upload {
  parts: Map<number, HeldPart>
  /** The total size of all parts. */
  bytes: number
  /**
   * The parts 1 to `count` have all arrived, so the first `bytes` bytes of the file have no gap.
   */
  prefix: { count: number; bytes: number }
}

/**
 * Knows which parts of which uploads have arrived completely. All bytes of an upload are in one
 * file, and this file does not show which parts it contains. So there is a list, with one line for
 * each part. It is in memory, and for restarts in a file beside the bytes. Neither the bytes nor
 * the list are synced to the disk. So after a restart a part counts only if its bytes have the
 * CRC-32 of its line, which is safe after any crash or power cut.
 *
 * An upload is *in parts* from the arrival of its first part. This ends when a client sends the
 * whole file instead, or when the upload is sealed or removed. Parts of one upload do not overlap,
 * because the server cuts a file only once.
 */
export class HeldParts {
  readonly #folders: Folders
  readonly #digests: FileDigests
  /** The uploads by key. null: an earlier process left a list that has not been read yet. */
  readonly #uploads: Map<string, Promise<Upload> | null>

  private constructor(folders: Folders, digests: FileDigests, keys: string[]) {
    this.#folders = folders
    this.#digests = digests
    this.#uploads = new Map(keys.map((key) => [key, null]))
  }

  /** Finds the uploads in parts that earlier processes have left on the disk. */
  static async open(folders: Folders, digests: FileDigests): Promise<HeldParts> {
    return new HeldParts(folders, digests, await folders.keysInParts())
  }

  isInParts(key: string): boolean {
    return this.#uploads.has(key)
  }

  /**
   * Lists the parts that have arrived completely, in the order of their numbers, with their CRC-32
   * as `checksum`. The list is empty when the upload is not in parts.
   */
  async list(key: string): Promise<StoredPart[]> {
    const upload = await this.#find(key)
    if (!upload) return []
    return [...upload.parts.values()]
      .map(({ partNumber, size, crc32 }) => ({ partNumber, size, checksum: inBase64(crc32) }))
      .sort((a, b) => a.partNumber - b.partNumber)
  }

  /** Returns the size in bytes of a part that has arrived completely, or else 0. */
  async sizeOf(key: string, partNumber: number): Promise<number> {
    return (await this.#find(key))?.parts.get(partNumber)?.size ?? 0
  }

  /**
   * Returns the size in bytes of all complete parts together; null when the upload is not in parts.
   */
  async bytes(key: string): Promise<number | null> {
    const upload = await this.#find(key)
    return upload?.bytes ?? null
  }

  /** Tells whether the complete parts make up a whole file of `size` bytes without a gap. */
  async areWhole(key: string, size: number): Promise<boolean> {
    const upload = await this.#find(key)
    return upload?.bytes === size && upload.prefix.bytes === size
  }

  /**
   * Opens the file so that a part can be written. From now on the part does not count as complete.
   * An upload that was not in parts is emptied first. The caller must have the part's write lock.
   */
  async begin({ key, partNumber, offset }: PartGrant): Promise<FileHandle> {
    // No `await` may come between `find` and `start`: of two first parts that arrive in parallel,
    // only one may empty the upload.
    const upload = await (this.#find(key) ?? this.#start(key))
    this.#digests.changing(key, offset)
    drop(upload, partNumber)
    return await this.#folders.openForPart(key)
  }

  /** Records that a part has arrived completely, with the CRC-32 of its bytes. */
  async hold(grant: PartGrant, crc32: number): Promise<void> {
    const { key, partNumber, offset, size } = grant
    const part: HeldPart = { partNumber, offset, size, crc32 }
    const upload = await this.#find(key)
    if (!upload) throw new Error('a part is held of an upload that is in none')
    await this.#folders.notePart(key, JSON.stringify(part))
    add(upload, part)
    this.#digests.follow(key, this.#folders.uploadPath(key), upload.prefix.bytes)
  }

  /**
   * Removes all parts, because the whole file is sent instead. The caller must have the key's write
   * lock.
   */
  async discard(key: string): Promise<void> {
    if (!this.isInParts(key)) return
    await this.#folders.discardParts(key)
    this.#uploads.delete(key)
  }

  /** Forgets an upload whose bytes were sealed or removed. */
  async forget(key: string): Promise<void> {
    if (!this.isInParts(key)) return
    await this.#folders.forgetParts(key)
    this.#uploads.delete(key)
  }

  /** Returns the complete parts of an upload; undefined when it is not in parts. */
  #find(key: string): Promise<Upload> | undefined {
    const known = this.#uploads.get(key)
    return known === null ? this.#keep(key, this.#read(key), null) : known
  }

  #start(key: string): Promise<Upload> {
    this.#digests.changing(key, 0)
    return this.#keep(key, this.#folders.startParts(key).then(newUpload), undefined)
  }

  /**
   * Shares a running read or start with parallel callers. After a failure the next caller tries
   * again.
   */
  #keep(key: string, found: Promise<Upload>, before: null | undefined): Promise<Upload> {
    this.#uploads.set(key, found)
    found.catch(() => {
      if (this.#uploads.get(key) !== found) return
      if (before === null) this.#uploads.set(key, null)
      else this.#uploads.delete(key)
    })
    return found
  }

  async #read(key: string): Promise<Upload> {
    const upload = newUpload()
    const notes = await unlessMissing(readFile(this.#folders.partsPath(key), 'utf8'))
    const path = this.#folders.uploadPath(key)
    const file = await unlessMissing(open(path, 'r'))
    if (!file) return upload
    try {
      for (const part of readNotes(notes ?? '')) {
        if ((await crcOf(file, part)) === part.crc32) add(upload, part)
      }
    } finally {
      await file.close()
    }
    this.#digests.follow(key, path, upload.prefix.bytes)
    return upload
  }
}

function newUpload(): Upload {
  return { parts: new Map(), bytes: 0, prefix: { count: 0, bytes: 0 } }
}

function add(upload: Upload, part: HeldPart): void {
  upload.parts.set(part.partNumber, part)
  upload.bytes += part.size
  extendPrefix(upload)
}

function drop(upload: Upload, partNumber: number): void {
  const part = upload.parts.get(partNumber)
  if (!part) return
  upload.parts.delete(partNumber)
  upload.bytes -= part.size
  if (partNumber > upload.prefix.count) return
  upload.prefix = { count: partNumber - 1, bytes: part.offset }
}

function extendPrefix({ parts, prefix }: Upload): void {
  for (;;) {
    const next = parts.get(prefix.count + 1)
    if (next?.offset !== prefix.bytes) return
    prefix.count += 1
    prefix.bytes += next.size
  }
}

/**
 * Returns the newest line of each part. Lines that are incomplete after a crash, or that describe
 * no part, are ignored.
 */
function readNotes(text: string): Iterable<HeldPart> {
  const newest = new Map<number, HeldPart>()
  for (const line of text.split('\n')) {
    const part = heldPart.safeParse(parseJson(line)).data
    if (part) newest.set(part.partNumber, part)
  }
  return newest.values()
}

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

/** Encodes a CRC-32 in the form that clients send: four bytes, the highest first, in base64. */
function inBase64(crc32: number): string {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(crc32)
  return bytes.toString('base64')
}

/** Computes the CRC-32 of a part's bytes in the file; null when the file is too short. */
async function crcOf(file: FileHandle, { offset, size }: HeldPart): Promise<number | null> {
  const block = Buffer.allocUnsafe(Math.min(size, blockBytes))
  let crc = 0
  for (let read = 0; read < size; ) {
    const length = Math.min(block.length, size - read)
    const { bytesRead } = await file.read(block, 0, length, offset + read)
    if (bytesRead === 0) return null
    crc = crc32(block.subarray(0, bytesRead), crc)
    read += bytesRead
  }
  return crc
}
