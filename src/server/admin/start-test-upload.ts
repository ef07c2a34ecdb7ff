import type { z } from 'zod'
import type { admin } from '../../shared/contract/admin.ts'
import { cleanFileName } from '../../shared/rules/files/file-name.ts'
import { minuteInMs } from '../../shared/rules/format/units.ts'
import { type Actor, adminEntry, writeAudit } from '../audit/audit-log.ts'
import type { Deps } from '../deps.ts'
import { AppError } from '../errors.ts'
import { counter } from '../http/rate-limit.ts'
import { newStorageKey } from '../storage/storage-key.ts'
import { insertRemoval } from '../uploads/removal-queries.ts'
import { describeFailure } from './test-storage.ts'

/** How long the presigned URL of a test upload works. */
const urlLifetimeMs = 10 * minuteInMs
/**
 * How long after its start the bytes of a test upload are removed. The URL has ended by then, so no
 * bytes arrive later.
 */
const keptMs = 15 * minuteInMs

/**
 * Returns a presigned URL with which the administrator's browser tests an upload (spec §7). The URL
 * takes exactly the announced bytes, and they do not become a file. Before the URL is signed, a row
 * in `removals` says when the bytes must be removed. So they are removed even if this server is
 * killed.
 * @throws {AppError} TOO_MANY_REQUESTS; STORAGE_FULL; UNAVAILABLE when storage lets no upload
 * begin, with a message that tells why and what to do. A bucket already refuses here if the key
 * lacks the right to write, so the browser would never see that refusal.
 */
export async function startTestUpload(
  deps: Pick<Deps, 'clock' | 'config' | 'db' | 'log' | 'rateLimits' | 'stores'>,
  { fileName, fileSize: size, fileType: mimeType }: z.output<typeof admin.testStorageUpload.body>,
  actor: Actor,
): Promise<{ uploadUrl: string; testKey: string }> {
  const { clock, db, rateLimits, stores } = deps
  await rateLimits.spend([counter('testUploadsByUser', actor.id)])
  const storage = stores.current
  const key = newStorageKey()
  const now = clock()
  if (!(await storage.hasSpaceFor(size))) throw new AppError('STORAGE_FULL')
  const details = { fileName: cleanFileName(fileName), size, mimeType, store: storage.name }
  await db.transaction(async (tx) => {
    const dueAt = new Date(now.getTime() + keptMs)
    await insertRemoval(tx, { storageKey: key, storage: storage.name, dueAt })
    await writeAudit(tx, [adminEntry(actor, now, { action: 'test-storage-upload', details })])
  })
  const until = new Date(now.getTime() + urlLifetimeMs)
  try {
    return { uploadUrl: await storage.signUpload({ key, size, mimeType, until }), testKey: key }
  } catch (error) {
    const message = describeFailure(deps, error, 'begin an upload to')
    throw new AppError('UNAVAILABLE', { message, cause: error })
  }
}
