import { lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { codeOf } from '../errors.ts'

/** How many files of a folder are looked at in parallel. */
const atOnce = 64

/**
 * What is counted as nothing: files that were removed meanwhile, and folders that this process must
 * not read, such as `lost+found` at the root of a disk.
 */
const uncounted = ['ENOENT', 'EACCES', 'EPERM']

/**
 * Returns how many bytes a file, or a folder with all that is in it, takes up on the disk. What
 * does not exist, or may not be read, takes none.
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
