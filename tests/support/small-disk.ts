import { execFileSync } from 'node:child_process'
import { type FileHandle, mkdtemp, open, rm, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, inject } from 'vitest'

declare module 'vitest' {
  interface ProvidedContext {
    /** Whether this run may mount a file system. */
    canMount: boolean
  }
}

const mebibyte = 1024 ** 2

/** A file system of a test's own, in memory, which others can fill. */
export interface SmallDisk {
  folder: string
  /** Bytes that a program may still write which is not root's. */
  free(): Promise<number>
  /** Takes all that is free, to the last byte, as another program does. Twice takes more. */
  fill(): Promise<void>
  /** Gives back what was taken. */
  clear(): Promise<void>
  close(): Promise<void>
}

/** Whether a file system can be mounted here: as a rule root can, unless in a closed container. */
export async function canMount(): Promise<boolean> {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return false
  const disk = await mountSmallDisk(mebibyte).catch(() => null)
  await disk?.close()
  return disk !== null
}

/** Tests that need a disk of their own. Where none can be mounted they are skipped, and the run says so. */
export function describeOnSmallDisk(name: string, tests: () => void): void {
  describe.skipIf(!inject('canMount'))(name, tests)
}

/** Mounts a file system of so many bytes. */
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
      // What a failed test left open keeps it for as long as it lives, and nobody else sees it.
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
