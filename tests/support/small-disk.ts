import { execFileSync } from 'node:child_process'
import { closeSync, openSync, writeSync } from 'node:fs'
import { mkdtemp, rm, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const mebibyte = 1024 ** 2

/** A small file system for one test, in memory. The test can fill it as other programs would. */
export interface SmallDisk {
  folder: string
  /** Returns how many bytes a program without root's rights may write now. */
  free(): Promise<number>
  /**
   * Takes all free space, to the last byte, as another program would. A second call takes what has
   * become free since.
   */
  fill(): Promise<void>
  /** Frees the space that `fill` took. */
  clear(): Promise<void>
  close(): Promise<void>
}

/**
 * Tells whether this machine lets the test mount a file system. Root may, except in most
 * containers.
 */
export async function canMount(): Promise<boolean> {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return false
  const disk = await mountSmallDisk(mebibyte).catch(() => null)
  await disk?.close()
  return disk !== null
}

/** Mounts a file system of `bytes` bytes. */
export async function mountSmallDisk(bytes: number): Promise<SmallDisk> {
  const folder = await mkdtemp(join(tmpdir(), 'mayfly-small-'))
  try {
    const options = ['-t', 'tmpfs', '-o', `size=${bytes},mode=0755`, 'mayfly-test', folder]
    execFileSync('mount', options, { stdio: 'pipe' })
  } catch (error) {
    await rm(folder, { recursive: true })
    throw error
  }
  const filler = join(folder, 'filler')
  return {
    folder,
    async free() {
      const { bavail, bsize } = await statfs(folder)
      return bavail * bsize
    },
    async fill() {
      const { bavail, bsize } = await statfs(folder)
      const file = openSync(filler, 'a')
      try {
        writeUntilFull(file, [Math.max(1, bavail * bsize), 4096, 1])
      } finally {
        closeSync(file)
      }
    },
    clear: () => rm(filler, { force: true }),
    async close() {
      // A failed test may have left files open. Then the file system stays until they are closed,
      // but its folder is gone.
      execFileSync('umount', ['--lazy', folder], { stdio: 'pipe' })
      await rm(folder, { recursive: true })
    },
  }
}

/**
 * Writes blocks of each of the sizes until no more fits. It writes synchronously, and most bytes by
 * one call: the server frees a part of its reserve when it sees that the disk is nearly full, and a
 * slow filler would take that part too.
 */
function writeUntilFull(file: number, sizes: readonly number[]): void {
  for (const size of sizes) {
    const block = Buffer.alloc(size, 1)
    try {
      while (writeSync(file, block) === size);
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error
    }
  }
}
