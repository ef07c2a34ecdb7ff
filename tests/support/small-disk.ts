import { execFileSync } from 'node:child_process'
import { type FileHandle, mkdtemp, open, rm, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inject } from 'vitest'
import { describeNeeding } from './machine-needs.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Whether this run may mount a file system. */
    canMount: boolean
  }
}

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

/**
 * Describes tests that need a file system of their own. Where none can be mounted they are skipped,
 * and the run reports that.
 */
export function describeOnSmallDisk(name: string, tests: () => void): void {
  describeNeeding('smallDisk', inject('canMount'), name, tests)
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
      const file = await open(filler, 'a')
      try {
        await writeUntilFull(file)
      } finally {
        await file.close()
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

async function writeUntilFull(file: FileHandle): Promise<void> {
  for (const size of [mebibyte, 4096, 1]) {
    const block = Buffer.alloc(size, 1)
    try {
      for (;;) await file.write(block)
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error
    }
  }
}
