/** Reads and hashes files in a separate thread to keep the page responsive. */
import type { HashRequest, HashResult } from './checksums.ts'
import { FileUnreadableError, hashBlob } from './hash-blob.ts'

self.addEventListener('message', async ({ data }: MessageEvent<HashRequest>) => {
  const hashes = await hashBlob(data.blob, data.algorithms).catch((error: unknown) =>
    error instanceof FileUnreadableError ? ('unreadable' as const) : null,
  )
  const result: HashResult = { id: data.id, hashes }
  self.postMessage(result)
})
