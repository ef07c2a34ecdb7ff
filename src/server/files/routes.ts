import { z } from 'zod'
import type { Deps } from '../deps.ts'
import { AppError } from '../errors.ts'
import { parseCursor, takePage, timestamp, timestampText } from '../http/cursor.ts'
import type { Handlers } from '../http/mount.ts'
import { counter } from '../http/rate-limit.ts'
import { renewFile } from '../links/renew-link.ts'
import { changePreferences } from './change-preferences.ts'
import { deleteExpiredFiles, deleteFiles } from './delete-files.ts'
import { countFiles, prepareListFiles } from './list-queries.ts'
import { readPreferences } from './preference-queries.ts'
import { listReceipts, type ReceiptCursor } from './receipt-queries.ts'

const fileCursor = z.tuple([timestampText, z.uuid()])
const receiptCursor = z.object({ purgedAt: timestamp, fileId: z.uuid() })

/** Routes for the signed-in user's own files (spec §7). */
export function fileRoutes(
  deps: Pick<Deps, 'clock' | 'db' | 'rateLimits' | 'settings' | 'stores'>,
) {
  const listFiles = prepareListFiles(deps.db)
  return {
    async listFiles({ query, user, context }) {
      const { limit, cursor } = query
      const after = parseCursor(fileCursor, cursor)
      const rows = await listFiles(user.id, { limit: limit + 1, after })
      return takePage(context, rows, { limit, cursorOf: ({ createdAt, id }) => [createdAt, id] })
    },

    countFiles: ({ user }) => countFiles(deps.db, user, deps.clock()),

    async listReceipts({ query, user, context }) {
      const { limit, cursor } = query
      const after = parseCursor(receiptCursor, cursor)
      const options = { now: deps.clock(), limit: limit + 1, after }
      const rows = await listReceipts(deps.db, user.id, options)
      const cursorOf = ({ purgedAt, fileId }: ReceiptCursor) => ({ purgedAt, fileId })
      return takePage(context, rows, { limit, cursorOf })
    },

    async deleteFile({ params, user, log }) {
      const { deletedCount } = await deleteFiles({ ...deps, log }, user.id, [params.id])
      if (deletedCount === 0) throw new AppError('FILE_NOT_FOUND')
      return { message: 'File deleted' }
    },

    async deleteFiles({ body, user, log }) {
      const { deletedCount, notFound } = await deleteFiles({ ...deps, log }, user.id, body.fileIds)
      return { message: deletedText(deletedCount), deletedCount, notFound }
    },

    async deleteExpiredFiles({ user, log }) {
      const deletedCount = await deleteExpiredFiles({ ...deps, log }, user)
      return { message: deletedText(deletedCount), deletedCount }
    },

    preferences: ({ user }) => readPreferences(deps.db, user.id),

    changePreferences: ({ user, body }) => changePreferences(deps, user, body),

    async renewFile({ params, body, user, caller }) {
      // Rate-limited because every short code is kept forever.
      await deps.rateLimits.spend([counter('renewalsByCaller', caller)])
      return renewFile(deps, user.id, params.id, body.expirationDays)
    },
  } satisfies Partial<Handlers>
}

function deletedText(count: number): string {
  return `${count} ${count === 1 ? 'file' : 'files'} deleted`
}
