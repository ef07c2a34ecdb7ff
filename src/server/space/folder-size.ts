import { lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { codeOf } from '../errors.ts'

/** How many files in a folder are measured in parallel. */
const concurrency = 64

/**
 * Errors for entries that count as zero: files removed during the measurement, and folders that
 * this process can't read, such as `lost+found` at the root of a disk.
 */
const ignoredCodes = ['ENOENT', 'EACCES', 'EPERM']

/**
 * Returns how many bytes a file, or a folder with all its contents, uses on disk. Missing or
 * unreadable entries count as zero.
 */
export async function measureDiskUsage(path: string): Promise<number> {
  const stats = await lstat(path).catch(ignoreExpectedErrors)
  if (!stats) return 0
  const ownBytes = stats.blocks * 512
  if (!stats.isDirectory()) return ownBytes
  const names = (await readdir(path).catch(ignoreExpectedErrors)) ?? []
  let sum = ownBytes
  for (let from = 0; from < names.length; from += concurrency) {
    const batch = names.slice(from, from + concurrency)
    const entrySizes = await Promise.all(batch.map((name) => measureDiskUsage(join(path, name))))
    for (const size of entrySizes) sum += size
  }
  return sum
}

function ignoreExpectedErrors(error: unknown): undefined {
  if (!ignoredCodes.includes(codeOf(error) ?? '')) throw error
}
