import { lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { codeOf } from '../errors.ts'

/** Number of files of a folder measured in parallel. */
const atOnce = 64

/**
 * Counted as zero: files removed meanwhile, and folders that this process can't read, such as
 * `lost+found` at the root of a disk.
 */
const uncounted = ['ENOENT', 'EACCES', 'EPERM']

/**
 * Returns the disk usage of a file, or of a folder with all its contents, in bytes. Missing or
 * unreadable entries count as zero.
 */
export async function takenBytes(path: string): Promise<number> {
  const found = await lstat(path).catch(unlessUncounted)
  if (!found) return 0
  const own = found.blocks * 512
  if (!found.isDirectory()) return own
  const names = (await readdir(path).catch(unlessUncounted)) ?? []
  let sum = own
  for (let from = 0; from < names.length; from += atOnce) {
    const some = names.slice(from, from + atOnce)
    const sizes = await Promise.all(some.map((name) => takenBytes(join(path, name))))
    for (const size of sizes) sum += size
  }
  return sum
}

function unlessUncounted(error: unknown): undefined {
  if (!uncounted.includes(codeOf(error) ?? '')) throw error
}
