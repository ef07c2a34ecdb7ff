import type { FileHandle } from 'node:fs/promises'
import { maxPartCount } from '../../../shared/rules/files/part-plan.ts'
import type { PartGrant } from '../storage.ts'
import type { Folders } from './folders.ts'

/** A part that has arrived completely. Offset and size are in bytes. */
export interface HeldPart {
  partNumber: number
  offset: number
  size: number
  crc32: number
}

/**
 * The size of an entry in bytes. An entry is a marker, the CRC-32, the offset and the size; the
 * rest is unused. As a power of two, it never spans two sectors of a disk.
 */
const entryBytes = 32
/** Begins the entry of a held part. An entry that was never written, or was cleared, is all 0. */
const marker = 0x70617274

/**
 * The lists of which parts of which uploads have arrived. All bytes of an upload are in one file,
 * which does not show its gaps. So a second file has one entry of fixed size for each part, at a
 * place that follows from the part's number, however often a part is sent.
 *
 * An upload is *in parts* from its first part until it is sealed or removed, or the whole file is
 * sent instead. A part is held only while its bytes survive a power cut.
 */
export class PartLists {
  readonly #folders: Folders
  /** Starts that are running, by key. Several first parts may arrive in parallel. */
  readonly #starting = new Map<string, Promise<void>>()

  constructor(folders: Folders) {
    this.#folders = folders
  }

  /** Tells whether an upload is in parts. */
  async isInParts(key: string): Promise<boolean> {
    return (await this.#folders.sizeInParts(key)) !== null
  }

  /** Returns the held parts in the order of their numbers; null when the upload is not in parts. */
  async read(key: string): Promise<HeldPart[] | null> {
    const fileSize = await this.#folders.sizeInParts(key)
    const list = fileSize === null ? null : await this.#folders.openParts(key, 'r')
    if (!list || fileSize === null) return null
    try {
      const { size } = await list.stat()
      const entries = Buffer.alloc(Math.min(size, maxPartCount * entryBytes))
      await list.read(entries, 0, entries.length, 0)
      return heldIn(entries).filter(({ offset, size: length }) => offset + length <= fileSize)
    } finally {
      await list.close()
    }
  }

  /**
   * Opens the file so that a part can be written at its offset. The part is no longer held. An
   * upload that was not in parts is emptied first. The caller must have the part's write lock, and
   * closes the file.
   */
  async begin({ key, partNumber }: PartGrant): Promise<FileHandle> {
    await this.#start(key)
    if ((await this.read(key))?.some((part) => part.partNumber === partNumber)) {
      await this.#write(key, partNumber, Buffer.alloc(entryBytes), 'durably')
    }
    return this.#folders.openUpload(key)
  }

  /** Makes a part's bytes durable, and then adds the part to the list. */
  async hold(file: FileHandle, part: PartGrant, crc32: number): Promise<void> {
    await file.datasync()
    const entry = Buffer.alloc(entryBytes)
    entry.writeUInt32BE(marker, 0)
    entry.writeUInt32BE(crc32, 4)
    entry.writeDoubleBE(part.offset, 8)
    entry.writeDoubleBE(part.size, 16)
    await this.#write(part.key, part.partNumber, entry)
  }

  #start(key: string): Promise<void> {
    const running = this.#starting.get(key)
    if (running) return running
    const start = async () => {
      if (!(await this.isInParts(key))) await this.#folders.startParts(key)
    }
    const starting = start().finally(() => this.#starting.delete(key))
    this.#starting.set(key, starting)
    return starting
  }

  async #write(key: string, partNumber: number, entry: Buffer, how?: 'durably'): Promise<void> {
    const list = await this.#folders.openParts(key, 'r+')
    if (!list) throw new Error(`${key} has no list of parts`)
    try {
      await list.writev([entry], (partNumber - 1) * entryBytes)
      if (how === 'durably') await list.datasync()
    } finally {
      await list.close()
    }
  }
}

/** Returns the size in bytes of all these parts together. */
export function bytesOf(parts: readonly HeldPart[]): number {
  return parts.reduce((sum, { size }) => sum + size, 0)
}

/** Tells whether parts, in the order of their numbers, follow one another from 0 to `size`. */
export function isWhole(parts: readonly HeldPart[], size: number): boolean {
  let end = 0
  for (const part of parts) {
    if (part.offset !== end) return false
    end += part.size
  }
  return end === size
}

function heldIn(entries: Buffer): HeldPart[] {
  const parts: HeldPart[] = []
  for (let at = 0; at + entryBytes <= entries.length; at += entryBytes) {
    if (entries.readUInt32BE(at) !== marker) continue
    parts.push({
      partNumber: at / entryBytes + 1,
      crc32: entries.readUInt32BE(at + 4),
      offset: entries.readDoubleBE(at + 8),
      size: entries.readDoubleBE(at + 16),
    })
  }
  return parts
}
