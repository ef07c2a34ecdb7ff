import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import type { FileSystem } from './file-system.ts'

/** Writes, reads back and removes a small file in a folder. Rejects when any step fails. */
export async function probeFolder(fs: FileSystem, folder: string): Promise<void> {
  const text = randomUUID()
  const path = join(folder, `.probe-${text}`)
  try {
    const file = await fs.open(path, 'wx+', 0o600)
    try {
      await file.write(text, 0)
      await file.datasync()
      const { buffer, bytesRead } = await file.read(Buffer.alloc(text.length), 0, text.length, 0)
      if (buffer.toString('utf8', 0, bytesRead) !== text) {
        throw new Error('the storage folder does not give back what was written')
      }
    } finally {
      await file.close()
    }
  } finally {
    await fs.rm(path, { force: true })
  }
}
