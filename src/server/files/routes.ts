import { z } from 'zod'
import { parseOrder } from '../../shared/rules/files/file-order.ts'
import type { Deps } from '../deps.ts'
import { moment, parseCursor, takePage } from '../http/cursor.ts'
import type { Handlers } from '../http/mount.ts'
import { counter } from '../http/rate-limit.ts'
import { changePreferences } from './change-preferences.ts'
import { formatPosition, parsePosition } from './cursor.ts'
import { deleteFile } from './delete-file.ts'
import { deleteExpiredFiles, deleteFiles } from './delete-files.ts'
import { countFiles, prepareListFiles } from './list-queries.ts'
import { readPreferences } from './preference-queries.ts'
import { listReceipts, type ReceiptPlace } from './receipt-queries.ts'
import { renewFile } from './renew-file.ts'

type FileEndpoint =
  | 'listFiles'
  | 'countFiles'
  | 'listReceipts'
  | 'deleteFile'
  | 'deleteFiles'
  | 'deleteExpiredFiles'
  | 'renewFile'
  | 'preferences'
  | 'changePreferences'

/** The schema of a cursor: the last receipt of the page before. */
const receiptPlace = z.object({ purgedAt: moment, fileId: z.uuid() })

/** The routes of the signed-in user's own files (spec §7). */
export function fileRoutes(
  deps: Pick<Deps, 'clock' | 'db' | 'rateLimits' | 'settings' | 'stores'>,
): Handlers<FileEndpoint> {
  const listFiles = prepareListFiles(deps.db)
  return {
    async listFiles({ query, user, context }) {
      const { limit, cursor, search, expiring } = query
      const order = parseOrder(query.sort)
      const after = cursor === undefined ? undefined : parsePosition(order, cursor)
      // One more row than asked for is read. If it exists, there is a next page.
      const rows = await listFiles(user.id, {
        limit: limit + 1,
        order,
        after,
        search,
        endingAfter: expiring === 'soon' ? deps.clock() : undefined,
      })
      const page = rows.slice(0, limit)
      const last = page.at(-1)
      if (last && page.length < rows.length) {
        context.header('x-next-cursor', formatPosition(order, last))
      }
      return page
    },

    countFiles: ({ user }) => countFiles(deps.db, user, deps.clock()),

    async listReceipts({ query, user, context }) {
      const { limit, cursor } = query
      const after = cursor === undefined ? undefined : parseCursor(receiptPlace, cursor)
      const wanted = { now: deps.clock(), limit: limit + 1, after }
      const rows = await listReceipts(deps.db, user.id, wanted)
      const placeOf = ({ purgedAt, fileId }: ReceiptPlace) => ({ purgedAt, fileId })
      return takePage(context, rows, { limit, placeOf })
    },

    async deleteFile({ params, user, log }) {
      await deleteFile(deps, user.id, params.id, log)
      return { message: 'File deleted' }
    },

    async deleteFiles({ body, user, log }) {
      const { deletedCount, notFound } = await deleteFiles(deps, user.id, body.fileIds, log)
      return { message: deletedText(deletedCount), deletedCount, notFound }
    },

    async deleteExpiredFiles({ user, log }) {
      const deletedCount = await deleteExpiredFiles(deps, user, log)
      return { message: deletedText(deletedCount), deletedCount }
    },

    preferences: ({ user }) => readPreferences(deps.db, user.id),

    changePreferences: ({ user, body }) => changePreferences(deps, user, body),

    async renewFile({ params, body, user }) {
      // Every short code stays recorded forever. So the number of renewals must be limited.
      await deps.rateLimits.spend([counter('renewalsByUser', user.id)])
      return renewFile(deps, user.id, params.id, body.expirationDays)
    },
  }
}

function deletedText(count: number): string {
  return `${count} ${count === 1 ? 'file' : 'files'} deleted`
}
