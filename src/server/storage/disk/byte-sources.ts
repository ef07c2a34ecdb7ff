import type { Stats } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import type { ServerResponse } from 'node:http'
import type { ByteRange } from '../byte-range.ts'
import type { Folders } from './folders.ts'
import { type HotFile, HotFiles, type LentFile } from './hot-files.ts'
import { PiecePool } from './piece-pool.ts'
import { sendBytes, sendKept } from './send-bytes.ts'

/** Where the bytes of one download come from. */
export interface ByteSource {
  /** The size of the stored object in bytes. */
  size: number
  /**
   * Sends a range of the object as the body of a response, and ends the response. Resolves when the
   * kernel has taken all bytes, or the client has left.
   * @throws {Error} when the object cannot be read.
   */
  send(range: ByteRange, response: ServerResponse, onSent: OnSent): Promise<void>
  close(): Promise<void>
}

/** Called with the number of bytes that were just handed to the kernel. */
export type OnSent = (count: number) => void

/** Opens sealed objects for downloads: from the disk, or from memory where they are hot. */
export class ByteSources {
  readonly #folders: Folders
  readonly #pool = new PiecePool()
  readonly #hot = new HotFiles()

  constructor(folders: Folders) {
    this.#folders = folders
  }

  /** Opens an object. Returns null when there is none. The caller closes it. */
  async open(key: string): Promise<ByteSource | null> {
    return (await this.#openKept(key)) ?? (await this.#openFile(key))
  }

  /** Frees the memory of hot files. */
  close(): void {
    this.#hot.close()
  }

  async #openKept(key: string): Promise<ByteSource | null> {
    const kept = this.#hot.find(key)
    if (!kept) return null
    let source: ByteSource | null = null
    try {
      // Another server may have removed the file, or somebody may have spoiled it.
      const found = await this.#folders.sealedStats(key)
      if (found && versionOf(found) === kept.version) source = fromMemory(kept)
      else this.#hot.forget(key)
    } finally {
      if (!source) kept.giveBack()
    }
    return source
  }

  async #openFile(key: string): Promise<ByteSource | null> {
    const file = await this.#folders.openSealed(key)
    if (!file) return null
    try {
      const stats = await file.stat()
      const kept = await this.#hot.load(key, stats.size, () => readAndClose(file, stats))
      return kept ? fromMemory(kept) : this.#fromDisk(file, stats.size)
    } catch (error) {
      await file.close()
      throw error
    }
  }

  #fromDisk(file: FileHandle, size: number): ByteSource {
    const pool = this.#pool
    return {
      size,
      async send(range, response, onSent) {
        await sendBytes(file, range, response, { pool, onSent })
        response.end()
      },
      close: () => file.close(),
    }
  }
}

function fromMemory({ bytes, giveBack }: LentFile): ByteSource {
  return {
    size: bytes.length,
    send: (range, response, onSent) => sendKept(bytes, range, response, onSent),
    close: async () => giveBack(),
  }
}

async function readAndClose(file: FileHandle, stats: Stats): Promise<HotFile> {
  const bytes = Buffer.allocUnsafeSlow(stats.size)
  for (let offset = 0; offset < bytes.length; ) {
    const { bytesRead } = await file.read(bytes, offset, bytes.length - offset, offset)
    if (bytesRead === 0) throw new Error(`the file ends at ${offset}, before ${bytes.length}`)
    offset += bytesRead
  }
  await file.close()
  return { bytes, version: versionOf(stats) }
}

function versionOf({ ino, size, mtimeMs }: Stats): string {
  return `${ino} ${size} ${mtimeMs}`
}
