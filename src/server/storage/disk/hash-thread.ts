/** The worker thread that `FileHasher` starts. It interleaves concurrent requests. */
import { createHash } from 'node:crypto'
import { open } from 'node:fs/promises'
import { constants, setPriority } from 'node:os'
import { parentPort } from 'node:worker_threads'
import { nullIfMissing } from './file-system.ts'

export interface HashRequest {
  id: number
  path: string
}

/** `sha256` is null if the file doesn't exist. `error` is set if the file couldn't be read. */
export interface HashResponse {
  id: number
  sha256: string | null
  error?: string
}

const blockBytes = 256 * 1024

// Transfers have priority over hashing. On Linux, this call affects only the current thread.
// Elsewhere it would affect the whole server.
if (process.platform === 'linux') setPriority(constants.priority.PRIORITY_BELOW_NORMAL)

parentPort?.on('message', async ({ id, path }: HashRequest) => {
  let response: HashResponse
  try {
    response = { id, sha256: await sha256Of(path) }
  } catch (error) {
    response = { id, sha256: null, error: String(error) }
  }
  parentPort?.postMessage(response)
})

async function sha256Of(path: string): Promise<string | null> {
  const file = await nullIfMissing(open(path))
  if (!file) return null
  try {
    const hash = createHash('sha256')
    const block = Buffer.allocUnsafe(blockBytes)
    for (;;) {
      const { bytesRead } = await file.read(block)
      if (bytesRead === 0) return hash.digest('hex')
      hash.update(block.subarray(0, bytesRead))
    }
  } finally {
    await file.close()
  }
}
