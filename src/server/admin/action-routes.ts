import { formatCount } from '../../shared/rules/format/numbers.ts'
import { deleteUser } from '../account-deletion/delete-user.ts'
import { type Actor, adminEntry, writeAudit } from '../audit/audit-log.ts'
import type { Deps } from '../deps.ts'
import { AppError } from '../errors.ts'
import { expireFiles } from '../files/expire-files.ts'
import { isCrossSite } from '../http/hosts.ts'
import type { Handlers } from '../http/mount.ts'
import { expireTrials } from '../tiers/set-tier.ts'
import { cleanUpExpired } from './clean-up-expired.ts'
import { sanitizeFileNames } from './sanitize-file-names.ts'
import { startTestUpload } from './start-test-upload.ts'
import { testStorage } from './test-storage.ts'

/** The administrator's endpoints for deleting users, cleaning up and testing storage (spec §7). */
export function adminActionRoutes(
  deps: Pick<Deps, 'clock' | 'config' | 'db' | 'log' | 'mailQueue' | 'rateLimits' | 'stores'>,
) {
  return {
    async deleteUser({ params, body, ...call }) {
      const typedEmail = body?.email
      const checkEmail = (_: unknown, user: { email: string }) => {
        if (typedEmail === undefined || typedEmail === user.email) return
        const message = "email: This is not the user's address. Nothing was deleted."
        throw new AppError('INVALID_INPUT', { message })
      }
      const result = await deleteUser(deps, params.id, toActor(call), checkEmail)
      const { email, deletedFiles } = result
      return { message: describeDeletion(email, deletedFiles), deletedFiles }
    },

    cleanUpExpired: async (call) => ({ deletedCount: await cleanUpExpired(deps, toActor(call)) }),

    sanitizeFileNames: (call) => sanitizeFileNames(deps, toActor(call)),

    async expireFiles(call) {
      const { purged: expiredCount, failed } = await expireFiles(deps)
      const details = { expiredCount, failed }
      const entry = adminEntry(toActor(call), deps.clock(), { action: 'expire-files', details })
      await writeAudit(deps.db, [entry])
      if (expiredCount === 0 && failed > 0) throw createRemovalError(failed)
      return details
    },

    async expireTrials(call) {
      const details = await expireTrials(deps)
      const entry = adminEntry(toActor(call), deps.clock(), { action: 'expire-trials', details })
      await writeAudit(deps.db, [entry])
      return details
    },

    testStorage(call) {
      if (isCrossSite(call.context.req.raw.headers)) throw new AppError('FOREIGN_ORIGIN')
      return testStorage(deps, toActor(call))
    },

    testStorageUpload({ body, publicOrigin, ...call }) {
      // The presigned URL must be on the origin that the browser uses, as for an ordinary upload.
      const stores = deps.stores.withOrigin(publicOrigin)
      return startTestUpload({ ...deps, stores }, body, toActor(call))
    },
  } satisfies Partial<Handlers>
}

function toActor({ user, clientAddress }: { user: { id: string }; clientAddress: string }): Actor {
  return { id: user.id, ipAddress: clientAddress }
}

function createRemovalError(failedCount: number): AppError {
  return new AppError('UNAVAILABLE', {
    message: `Storage did not remove the bytes of ${formatCount(failedCount, 'file')}. The server retries by itself. Test the storage connection to see why.`,
  })
}

function describeDeletion(email: string, fileCount: number): string {
  return `${email} is deleted, with ${formatCount(fileCount, 'file')}. Links have ended, and the bytes are being removed.`
}
