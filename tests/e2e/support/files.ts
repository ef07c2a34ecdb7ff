import { createCipheriv, createHash } from 'node:crypto'
import { closeSync, createReadStream, createWriteStream, openSync, writeSync } from 'node:fs'
import { link, readdir, rename, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { getRunFolder } from './run.ts'

export interface DiskFile {
  name: string
  path: string
  size: number
  sha256: string
}

const blockSize = 4 * 1024 * 1024

/** Yields bytes that are reproducible and can't be compressed: encrypted zeros. */
function* generateRandomBytes(size: number): Generator<Buffer> {
  const cipher = createCipheriv('aes-128-ctr', Buffer.alloc(16, 'mayfly'), Buffer.alloc(16))
  for (let remaining = size; remaining > 0; remaining -= blockSize) {
    yield cipher.update(Buffer.alloc(Math.min(remaining, blockSize)))
  }
}

/** Files of at least this size are written to disk once per run and shared by all tests. */
const sharedSize = 1024 ** 2

/**
 * Creates a file of `size` pseudorandom bytes. A large file shares its bytes on disk with other
 * tests, so copy it before changing it.
 */
export async function writeRandomFile(
  folder: string,
  name: string,
  size: number,
): Promise<DiskFile> {
  if (size < sharedSize) return writeUniqueFile(folder, name, size)
  const path = join(folder, name)
  const sha256Promise = sha256BySize.get(size) ?? shareFile(size)
  sha256BySize.set(size, sha256Promise)
  const sha256 = await sha256Promise
  await link(getSharedPath(size, sha256), path)
  return { name, path, size, sha256 }
}

function getSharedPath(size: number, sha256: string): string {
  return join(getRunFolder(), `${size}-${sha256}`)
}

/** SHA-256 of each shared file, keyed by file size. */
const sha256BySize = new Map<number, Promise<string>>()

/** Writes the shared file of this size unless it exists. Returns its SHA-256. */
async function shareFile(size: number): Promise<string> {
  const existingName = (await readdir(getRunFolder())).find((entry) => entry.startsWith(`${size}-`))
  if (existingName !== undefined) return existingName.slice(`${size}-`.length)
  const { path, sha256 } = await writeUniqueFile(getRunFolder(), `of-${process.pid}-${size}`, size)
  await rename(path, getSharedPath(size, sha256))
  return sha256
}

async function writeUniqueFile(folder: string, name: string, size: number): Promise<DiskFile> {
  const path = join(folder, name)
  const hash = createHash('sha256')
  await pipeline(
    generateRandomBytes(size),
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

/** Creates a file whose 64 KiB blocks start with their numbers. The rest is sparse. */
export async function writeNumberedFile(
  folder: string,
  name: string,
  size: number,
): Promise<DiskFile> {
  const path = await writeSparseFile(folder, name, size)
  const hash = createHash('sha256')
  const block = Buffer.alloc(64 * 1024)
  const descriptor = openSync(path, 'r+')
  for (let number = 0; number < size / block.length; number += 1) {
    block.writeUInt32BE(number)
    writeSync(descriptor, block, 0, 4, number * block.length)
    hash.update(block)
  }
  closeSync(descriptor)
  return { name, path, size, sha256: hash.digest('hex') }
}

export async function writeSparseFile(folder: string, name: string, size: number): Promise<string> {
  const path = join(folder, name)
  await writeFile(path, '')
  await truncate(path, size)
  return path
}

export async function hashFile(path: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(path, { highWaterMark: blockSize }), hash)
  return hash.digest('hex')
}
