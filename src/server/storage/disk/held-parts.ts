import type { FileHandle } from 'node:fs/promises'
import { crc32 } from 'node:zlib'
import { z } from 'zod'
import { maxPartCount } from '../../../shared/rules/files/part-plan.ts'
import type { PartGrant, StoredPart } from '../storage.ts'
import { parseJson } from './parse-json.ts'

const blockBytes = 1024 * 1024
const count = z.int().nonnegative()

/**
 * One line in the list of an upload's parts (`uploads/<key>.parts`). It describes one part. The
 * server has computed `crc32` from the part's bytes. `list` is the id of the list that was there
 * when the part was begun. Only lists in a folder of several servers have an id.
 */
const heldPart = z.object({
  partNumber: z.int().positive().max(maxPartCount),
  offset: count,
  size: count,
  crc32: count.max(0xffffffff),
  list: z.string().optional(),
})
export type HeldPart = z.output<typeof heldPart>

const note = z.union([heldPart, z.object({ begun: heldPart.shape.partNumber })])

/** A part that a client has begun to send. */
export interface BegunPart {
  /** The file to write the part's bytes to. The caller closes it. */
  file: FileHandle
  /**
   * Records that the part has arrived completely, with the CRC-32 of its bytes.
   * @throws {AppError} UNAVAILABLE when the part does not count, because its bytes may be gone.
   */
  hold(crc32: number): Promise<void>
}

/** The parts of one upload that have arrived completely. */
export interface Upload {
  parts: Map<number, HeldPart>
  /** The total size of all parts. */
  bytes: number
  /**
   * The parts 1 to `count` have all arrived, so the first `bytes` bytes of the file have no gap.
   */
  prefix: { count: number; bytes: number }
}

/**
 * Knows which parts of which uploads have arrived completely. An upload is *in parts* from the
 * moment when a client begins to send its first part. This ends when a client sends the whole file
 * instead, or when the upload is sealed or removed. Parts of one upload do not overlap, because the
 * server divides a file into parts only once.
 */
export abstract class HeldParts {
  /** Returns the complete parts of an upload; undefined when it is not in parts. */
  protected abstract find(key: string): Promise<Upload | undefined> | undefined

  /** Tells whether an upload is in parts. It reads neither the bytes nor the list. */
  abstract isInParts(key: string): Promise<boolean>

  /**
   * Opens the file so that a part can be written. From now on the part does not count as complete.
   * An upload that was not in parts is emptied first. The caller must have the part's write lock.
   */
  abstract begin(grant: PartGrant): Promise<BegunPart>

  /**
   * Removes all parts, because the whole file is sent instead, or the upload is removed. The caller
   * must have the key's write lock.
   */
  abstract discard(key: string): Promise<void>

  /** Forgets an upload whose bytes were sealed or removed. */
  abstract forget(key: string): Promise<void>

  /**
   * Lists the parts that have arrived completely, in the order of their numbers, with their CRC-32
   * as `checksum`. The list is empty when the upload is not in parts.
   */
  async list(key: string): Promise<StoredPart[]> {
    const upload = await this.find(key)
    if (!upload) return []
    return [...upload.parts.values()]
      .map(({ partNumber, size, crc32 }) => ({ partNumber, size, checksum: inBase64(crc32) }))
      .sort((a, b) => a.partNumber - b.partNumber)
  }

  /** Returns the size in bytes of a part that has arrived completely, or else 0. */
  async sizeOf(key: string, partNumber: number): Promise<number> {
    return (await this.find(key))?.parts.get(partNumber)?.size ?? 0
  }

  /**
   * Returns the size in bytes of all complete parts together; null when the upload is not in parts.
   */
  async bytes(key: string): Promise<number | null> {
    const upload = await this.find(key)
    return upload?.bytes ?? null
  }

  /** Tells whether the complete parts make up a whole file of `size` bytes without a gap. */
  async areWhole(key: string, size: number): Promise<boolean> {
    const upload = await this.find(key)
    return upload?.bytes === size && upload.prefix.bytes === size
  }
}

/** Returns an upload of which no part has arrived yet. */
export function newUpload(): Upload {
  return { parts: new Map(), bytes: 0, prefix: { count: 0, bytes: 0 } }
}

/** Adds a part that has arrived completely. It replaces an earlier part with the same number. */
export function addPart(upload: Upload, part: HeldPart): void {
  dropPart(upload, part.partNumber)
  upload.parts.set(part.partNumber, part)
  upload.bytes += part.size
  extendPrefix(upload)
}

/** Removes a part that no longer counts as complete. */
export function dropPart(upload: Upload, partNumber: number): void {
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
 * A line in the list of parts. It says that a part has arrived, or that a client has begun to send
 * a part again.
 */
export type Note = HeldPart | { begun: number }

/**
 * Reads the lines of a list in their order. Lines that are incomplete after a crash, or that
 * describe no part, are left out.
 */
export function readNotes(text: string): Note[] {
  return text.split('\n').flatMap((line) => note.safeParse(parseJson(line)).data ?? [])
}

/** Returns the parts that have arrived. For each part only the newest line about it counts. */
function newestOf(notes: readonly Note[]): Iterable<HeldPart> {
  const newest = new Map<number, HeldPart>()
  for (const one of notes) {
    if ('begun' in one) newest.delete(one.begun)
    else newest.set(one.partNumber, one)
  }
  return newest.values()
}

/**
 * Returns the parts of a list whose bytes are really in the file: their CRC-32 must be that of the
 * list. Returns null when there is no file. Reads the bytes of every part of the list, and closes
 * the file.
 */
export async function readProvedParts(
  file: FileHandle | null,
  notes: readonly Note[],
): Promise<Upload | null> {
  if (!file) return null
  const upload = newUpload()
  try {
    for (const part of newestOf(notes)) {
      if ((await crcOf(file, part)) === part.crc32) addPart(upload, part)
    }
  } finally {
    await file.close()
  }
  return upload
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
