import { createCipheriv, createHash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { link, readdir, rename, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { runFolder } from './run.ts'

/** A file on the disk that a test uploads. */
export interface DiskFile {
  name: string
  path: string
  size: number
  sha256: string
}

const blockSize = 4 * 1024 * 1024

/**
 * Yields bytes that are the same in every run and that cannot be compressed. They are encrypted
 * zeros.
 */
export function* pseudoRandom(size: number): Generator<Buffer> {
  const cipher = createCipheriv('aes-128-ctr', Buffer.alloc(16, 'mayfly'), Buffer.alloc(16))
  for (let left = size; left > 0; left -= blockSize) {
    yield cipher.update(Buffer.alloc(Math.min(left, blockSize)))
  }
}

/** Writes a file of `size` pseudo-random bytes. */
export async function writeRandomFile(
  folder: string,
  name: string,
  size: number,
): Promise<DiskFile> {
  const path = join(folder, name)
  const hash = createHash('sha256')
  await pipeline(
    pseudoRandom(size),
    async function* (blocks) {
      for await (const block of blocks) {
        hash.update(block)
        yield block
      }
    },
    createWriteStream(path),
  )
  return { name, path, size, sha256: hash.digest('hex') }
}

const sharedEnding = '.one-gibibyte'

/**
 * Makes a file of 1 GiB, the largest that anybody may upload, in `folder`. The first test that asks
 * for it writes its bytes. Later tests of the run share them.
 */
export async function largeFile(folder: string, name: string): Promise<DiskFile> {
  const size = 1024 ** 3
  const found = (await readdir(runFolder())).find((entry) => entry.endsWith(sharedEnding))
  let sha256 = found?.slice(0, -sharedEnding.length)
  if (sha256 === undefined) {
    const own = await writeRandomFile(runFolder(), `of-${process.pid}`, size)
    sha256 = own.sha256
    await rename(own.path, join(runFolder(), `${sha256}${sharedEnding}`))
  }
  const path = join(folder, name)
  await link(join(runFolder(), `${sha256}${sharedEnding}`), path)
  return { name, path, size, sha256 }
}

/** Makes a file that has a size but no bytes on the disk. Nobody reads such a file. */
export async function writeSparseFile(folder: string, name: string, size: number): Promise<string> {
  const path = join(folder, name)
  await writeFile(path, '')
  await truncate(path, size)
  return path
}

/** Returns the SHA-256 of a file on the disk, in hexadecimal. */
export async function sha256OfFile(path: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(path, { highWaterMark: blockSize }), hash)
  return hash.digest('hex')
}
