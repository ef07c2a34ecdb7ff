import { createHash } from 'node:crypto'
import type { Readable } from 'node:stream'

const stallMs = 30_000

/**
 * Returns the SHA-256 of a stream in hexadecimal.
 * @throws when the stream fails, or no byte comes for 30 seconds.
 */
export async function hashStream(bytes: Readable): Promise<string> {
  const hash = createHash('sha256')
  const stalled = setTimeout(() => bytes.destroy(new Error('no byte came in time')), stallMs)
  try {
    for await (const chunk of bytes) {
      hash.update(chunk)
      stalled.refresh()
    }
  } finally {
    clearTimeout(stalled)
  }
  return hash.digest('hex')
}
