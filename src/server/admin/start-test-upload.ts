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

const urlLifetimeMs = 10 * minuteInMs
/**
 * How long to wait before removing a test upload. By then the URL has expired, so no more bytes can
 * arrive.
 */
const removalDelayMs = 15 * minuteInMs

/**
 * Returns a presigned URL for an upload test in the administrator's browser (spec §7). The URL
 * accepts exactly the announced number of bytes, which don't become a file. Their removal is
 * scheduled in `removals` before the URL is signed, so they are removed even if this server is
 * killed.
 * @throws {AppError} TOO_MANY_REQUESTS; STORAGE_FULL; UNAVAILABLE if storage rejects the upload.
 * Its message states the cause and how to fix it. If the bucket's access key lacks write
 * permission, the test fails with this error instead of failing in the browser.
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
    const dueAt = new Date(now.getTime() + removalDelayMs)
    await insertRemoval(tx, { storageKey: key, storage: storage.name, dueAt })
    await writeAudit(tx, [adminEntry(actor, now, { action: 'test-storage-upload', details })])
  })
  const expiresAt = new Date(now.getTime() + urlLifetimeMs)
  try {
    return {
      uploadUrl: await storage.signUpload({ key, size, mimeType, expiresAt }),
      testKey: key,
    }
  } catch (error) {
    const message = describeFailure(deps, error, 'begin an upload to')
    throw new AppError('UNAVAILABLE', { message, cause: error })
  }
}
