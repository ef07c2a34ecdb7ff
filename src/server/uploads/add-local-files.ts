import { once } from 'node:events'
import mime from 'mime'
import type { Deps } from '../deps.ts'
import { deleteLink } from '../links/delete-link.ts'
import { type SealedObjects, SizeMismatch } from '../storage/storage.ts'
import { confirmUploads } from './confirm-upload.ts'
import { startUploads } from './start-upload.ts'

/** A file on this machine. The size is in bytes. */
export interface LocalFile {
  path: string
  name: string
  size: number
}

type AddDeps = Pick<
  Deps,
  'clock' | 'db' | 'log' | 'mailQueue' | 'requestJob' | 'settings' | 'stores'
> & {
  objects: Pick<SealedObjects, 'copy'>
  /** Aborted if the command is to stop. The caller ends the process, and the copy with it. */
  signal: AbortSignal
}

/**
 * Makes a link of copies of files that are on this machine, all or none, with the checks and limits
 * of an upload.
 * @returns the link's short code.
 * @throws {AppError} as `startUploads` and `confirmUploads`.
 * @throws if a file can't be read; the signal's reason if aborted.
 */
export async function addLocalFiles(
  deps: AddDeps,
  ownerId: string,
  files: readonly LocalFile[],
  expirationDays: number,
): Promise<string> {
  const requests = files.map(({ name, size }) => ({
    fileName: name,
    fileSize: size,
    fileType: mime.getType(name) ?? 'application/octet-stream',
    expirationDays,
  }))
  const { signal } = deps
  signal.throwIfAborted()
  const interruption = once(signal, 'abort').then(() => signal.throwIfAborted())
  interruption.catch(() => {})
  const { uploads } = await startUploads(deps, ownerId, requests, { kind: 'new', options: {} })
  const shortCode = uploads[0]?.shortCode ?? ''
  try {
    for (const [index, { path, size }] of files.entries()) {
      const copy = deps.objects.copy(uploads[index]?.cloudKey ?? '', size, path)
      await Promise.race([copy, interruption]).catch((cause: unknown) => {
        if (!(cause instanceof SizeMismatch)) throw cause
        throw new Error(`${path} has changed: ${cause.message}`, { cause })
      })
    }
    const results = await confirmUploads(deps, ownerId, uploads)
    for (const result of results) if (result.status === 'rejected') throw result.reason
    return shortCode
  } catch (error) {
    // The server removes the bytes of what has been deleted.
    await deleteLink(deps.db, ownerId, shortCode, deps.clock())
    throw error
  }
}
