import { execFileSync } from 'node:child_process'
import { closeSync, openSync, writeSync } from 'node:fs'
import { mkdtemp, rm, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const mebibyte = 1024 ** 2

/** A small in-memory file system that a test can fill up. */
export interface SmallDisk {
  folder: string
  /** Returns how many bytes are available to programs that don't run as root. */
  freeBytes(): Promise<number>
  /** Uses up all free space. Call it again to use up space that has been freed since. */
  fill(): Promise<void>
  clear(): Promise<void>
  close(): Promise<void>
}

/**
 * Returns true if tests can mount file systems on this machine. Root can do so, except in most
 * containers.
 */
export async function canMount(): Promise<boolean> {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return false
  const disk = await mountSmallDisk(mebibyte).catch(() => null)
  await disk?.close()
  return disk !== null
}

export async function mountSmallDisk(bytes: number): Promise<SmallDisk> {
  const folder = await mkdtemp(join(tmpdir(), 'mayfly-small-'))
  try {
    const mountArgs = ['-t', 'tmpfs', '-o', `size=${bytes},mode=0755`, 'mayfly-test', folder]
    execFileSync('mount', mountArgs, { stdio: 'pipe' })
  } catch (error) {
    await rm(folder, { recursive: true })
    throw error
  }
  const fillerFile = join(folder, 'filler')
  return {
    folder,
    async freeBytes() {
      const { bavail, bsize } = await statfs(folder)
      return bavail * bsize
    },
    async fill() {
      const { bavail, bsize } = await statfs(folder)
      const descriptor = openSync(fillerFile, 'a')
      try {
        writeUntilFull(descriptor, [Math.max(1, bavail * bsize), 4096, 1])
      } finally {
        closeSync(descriptor)
      }
    },
    clear: () => rm(fillerFile, { force: true }),
    async close() {
      // A failed test may have left files open. A lazy unmount works even then.
      execFileSync('umount', ['--lazy', folder], { stdio: 'pipe' })
      await rm(folder, { recursive: true })
    },
  }
}

/**
 * Writes blocks of each size until no more fit. Synchronous because it has to be fast: when the
 * disk is nearly full, the server releases part of its reserve, which a slow fill would use up too.
 */
function writeUntilFull(descriptor: number, sizes: readonly number[]): void {
  for (const size of sizes) {
    const block = Buffer.alloc(size, 1)
    try {
      while (writeSync(descriptor, block) === size);
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error
    }
  }
}
