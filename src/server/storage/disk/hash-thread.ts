/** The worker thread that `FileHasher` starts. It interleaves concurrent requests. */
import { createHash } from 'node:crypto'
import { open } from 'node:fs/promises'
import { constants, setPriority } from 'node:os'
import { parentPort } from 'node:worker_threads'
import { crc32 } from 'node:zlib'
import type { ObjectDigest } from '../storage.ts'
import { nullIfMissing } from './file-system.ts'

export interface HashRequest {
  id: number
  path: string
}

/** `digest` is null if the file doesn't exist. `error` is set if the file couldn't be read. */
export interface HashResponse {
  id: number
  digest: ObjectDigest | null
  error?: string
}

const blockBytes = 256 * 1024

// Transfers have priority over hashing. On Linux, this call affects only the current thread.
// Elsewhere it would affect the whole server.
if (process.platform === 'linux') setPriority(constants.priority.PRIORITY_BELOW_NORMAL)

parentPort?.on('message', async ({ id, path }: HashRequest) => {
  let response: HashResponse
  try {
    response = { id, digest: await digestOf(path) }
  } catch (error) {
    response = { id, digest: null, error: String(error) }
  }
  parentPort?.postMessage(response)
})

async function digestOf(path: string): Promise<ObjectDigest | null> {
  const file = await nullIfMissing(open(path))
  if (!file) return null
  try {
    const sha256 = createHash('sha256')
    let crc = 0
    const block = Buffer.allocUnsafe(blockBytes)
    for (;;) {
      const { bytesRead } = await file.read(block)
      if (bytesRead === 0) return { sha256: sha256.digest('hex'), crc32: crc }
      const bytes = block.subarray(0, bytesRead)
      sha256.update(bytes)
      crc = crc32(bytes, crc)
    }
  } finally {
    await file.close()
  }
}
