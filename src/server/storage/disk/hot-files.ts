import { transferLimits } from './transfer-limits.ts'

/** A file that was not downloaded for this long is no longer kept. It can take twice as long. */
const sweepMs = 5_000
/** How many files are remembered that were downloaded once. */
const rememberedKeys = 10_000

/** The bytes of a whole file in memory. */
export interface HotFile {
  bytes: Buffer
  /** A text that changes when the file on the disk is changed or replaced. */
  version: string
}

/** A file that is kept. Until its bytes are given back, they cannot be freed. */
export interface LentFile extends HotFile {
  /** The caller calls this once, when it needs the bytes no longer. */
  giveBack(): void
}

interface Entry extends HotFile {
  wasUsed: boolean
  borrowers: number
  /** False when the file was forgotten while its bytes were lent. */
  isKept: boolean
}

/**
 * Keeps the bytes of small files that are downloaded again and again, until some seconds after
 * their last download. Then a download neither opens nor reads the file. All downloads of a file
 * send the same memory, so a slow client costs no more of it. Together the files take at most
 * `hotBytes`. Bytes that are lent count until the last borrower has given them back.
 */
export class HotFiles {
  /** The file that was used last is the last one. */
  readonly #kept = new Map<string, Entry>()
  readonly #loading = new Set<string>()
  readonly #askedOnce = new Set<string>()
  #bytes = 0
  #sweep: NodeJS.Timeout | undefined

  /**
   * Lends a file that is kept. The caller checks whether its version is still right, and gives the
   * file back in any case.
   */
  find(key: string): LentFile | undefined {
    const entry = this.#kept.get(key)
    if (!entry) return undefined
    entry.wasUsed = true
    this.#kept.delete(key)
    this.#kept.set(key, entry)
    return this.#lend(entry)
  }

  /**
   * Notes that a file is downloaded that is not kept. If it is small, was downloaded a moment ago
   * too, and there is room, calls `read`, keeps what it returns, and lends it.
   * @param size how many bytes `read` returns.
   * @returns null if the file is not kept.
   * @throws the errors of `read`.
   */
  async load(key: string, size: number, read: () => Promise<HotFile>): Promise<LentFile | null> {
    if (!this.#isWanted(key, size)) return null
    this.#loading.add(key)
    this.#bytes += size
    try {
      const entry: Entry = { ...(await read()), wasUsed: true, borrowers: 0, isKept: true }
      this.#kept.set(key, entry)
      return this.#lend(entry)
    } catch (error) {
      this.#bytes -= size
      throw error
    } finally {
      this.#loading.delete(key)
    }
  }

  /** Keeps a file no longer. */
  forget(key: string): void {
    const entry = this.#kept.get(key)
    if (!entry) return
    this.#kept.delete(key)
    entry.isKept = false
    if (entry.borrowers === 0) this.#bytes -= entry.bytes.length
  }

  /** Forgets every file. */
  close(): void {
    clearInterval(this.#sweep)
    for (const key of this.#kept.keys()) this.forget(key)
  }

  #isWanted(key: string, size: number): boolean {
    if (size > transferLimits.hotFileBytes) return false
    this.#sweep ??= setInterval(() => this.#forgetUnused(), sweepMs).unref()
    const wasAsked = this.#askedOnce.has(key)
    if (this.#askedOnce.size < rememberedKeys) this.#askedOnce.add(key)
    return wasAsked && !this.#loading.has(key) && !this.#kept.has(key) && this.#makeRoom(size)
  }

  #lend(entry: Entry): LentFile {
    const { bytes, version } = entry
    entry.borrowers += 1
    return { bytes, version, giveBack: () => this.#takeBack(entry) }
  }

  #takeBack(entry: Entry): void {
    entry.borrowers -= 1
    if (entry.borrowers === 0 && !entry.isKept) this.#bytes -= entry.bytes.length
  }

  /** Frees memory for `size` bytes: first that of the files whose last use is longest ago. */
  #makeRoom(size: number): boolean {
    for (const [key, { borrowers }] of this.#kept) {
      if (this.#bytes + size <= transferLimits.hotBytes) return true
      if (borrowers === 0) this.forget(key)
    }
    return this.#bytes + size <= transferLimits.hotBytes
  }

  #forgetUnused(): void {
    this.#askedOnce.clear()
    for (const [key, entry] of this.#kept) {
      if (!entry.wasUsed && entry.borrowers === 0) this.forget(key)
      entry.wasUsed = false
    }
    if (this.#kept.size > 0 || this.#loading.size > 0) return
    clearInterval(this.#sweep)
    this.#sweep = undefined
  }
}
