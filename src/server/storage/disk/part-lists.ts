import type { FileHandle } from 'node:fs/promises'
import { maxPartCount } from '../../../shared/rules/files/part-plan.ts'
import type { PartGrant } from '../storage.ts'
import type { Folders } from './folders.ts'

/** A part that was received completely. Offset and size are in bytes. */
export interface PartEntry {
  partNumber: number
  offset: number
  size: number
  crc32: number
}

/**
 * The size of an entry in bytes. An entry consists of a marker, the CRC-32, the offset and the
 * size; the rest is unused. With a power of two, no entry spans two disk sectors.
 */
const entryBytes = 32
/** Marks the entry of a stored part. Missing and cleared entries contain only zeros. */
const marker = 0x70617274

/**
 * Tracks which parts of an upload have been received. All of an upload's bytes go into one file,
 * where gaps are invisible. A second file therefore has one fixed-size entry per part, at an offset
 * that depends on the part number. Sending a part again overwrites its entry.
 *
 * An upload is *in parts* from its first part until it is sealed, removed, or replaced by a
 * whole-file upload. A part is listed only while its bytes are durable.
 */
export class PartLists {
  readonly #folders: Folders
  /** `#start` calls in progress, by key. Several first parts may arrive concurrently. */
  readonly #starting = new Map<string, Promise<void>>()

  constructor(folders: Folders) {
    this.#folders = folders
  }

  async hasParts(key: string): Promise<boolean> {
    return (await this.#folders.multipartSize(key)) !== null
  }

  /** Returns the stored parts in order, or null if the upload isn't in parts. */
  async read(key: string): Promise<PartEntry[] | null> {
    const fileSize = await this.#folders.multipartSize(key)
    const list = fileSize === null ? null : await this.#folders.openPartList(key, 'r')
    if (!list || fileSize === null) return null
    try {
      const { size } = await list.stat()
      const entries = Buffer.alloc(Math.min(size, maxPartCount * entryBytes))
      await list.read(entries, 0, entries.length, 0)
      return decodeEntries(entries).filter(
        ({ offset, size: length }) => offset + length <= fileSize,
      )
    } finally {
      await list.close()
    }
  }

  /**
   * Opens the upload's file to write a part at its offset, and removes the part from the list. If
   * the upload wasn't in parts, discards its bytes first. The caller must hold the part's write
   * lock and close the file.
   */
  async openPart({ key, partNumber }: PartGrant): Promise<FileHandle> {
    await this.#start(key)
    if ((await this.read(key))?.some((part) => part.partNumber === partNumber)) {
      await this.#write(key, partNumber, Buffer.alloc(entryBytes), 'durably')
    }
    return this.#folders.openUpload(key)
  }

  /** Makes a part's bytes durable, then adds the part to the list. */
  async recordPart(file: FileHandle, part: PartGrant, crc32: number): Promise<void> {
    await file.datasync()
    const entry = Buffer.alloc(entryBytes)
    entry.writeUInt32BE(marker, 0)
    entry.writeUInt32BE(crc32, 4)
    entry.writeDoubleBE(part.offset, 8)
    entry.writeDoubleBE(part.size, 16)
    await this.#write(part.key, part.partNumber, entry)
  }

  #start(key: string): Promise<void> {
    const runningStart = this.#starting.get(key)
    if (runningStart) return runningStart
    const start = async () => {
      if (!(await this.hasParts(key))) await this.#folders.startMultipart(key)
    }
    const startPromise = start().finally(() => this.#starting.delete(key))
    this.#starting.set(key, startPromise)
    return startPromise
  }

  async #write(key: string, partNumber: number, entry: Buffer, mode?: 'durably'): Promise<void> {
    const list = await this.#folders.openPartList(key, 'r+')
    if (!list) throw new Error(`${key} has no list of parts`)
    try {
      await list.writev([entry], (partNumber - 1) * entryBytes)
      if (mode === 'durably') await list.datasync()
    } finally {
      await list.close()
    }
  }
}

export function totalBytes(parts: readonly PartEntry[]): number {
  return parts.reduce((sum, { size }) => sum + size, 0)
}

/** True if the parts, sorted by number, cover exactly the bytes from 0 to `size`. */
export function isComplete(parts: readonly PartEntry[], size: number): boolean {
  let end = 0
  for (const part of parts) {
    if (part.offset !== end) return false
    end += part.size
  }
  return end === size
}

function decodeEntries(entries: Buffer): PartEntry[] {
  const parts: PartEntry[] = []
  for (let position = 0; position + entryBytes <= entries.length; position += entryBytes) {
    if (entries.readUInt32BE(position) !== marker) continue
    parts.push({
      partNumber: position / entryBytes + 1,
      crc32: entries.readUInt32BE(position + 4),
      offset: entries.readDoubleBE(position + 8),
      size: entries.readDoubleBE(position + 16),
    })
  }
  return parts
}
