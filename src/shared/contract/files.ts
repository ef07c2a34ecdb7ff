import { z } from 'zod'
import {
  fileOrderTexts,
  formatOrder,
  longestFilePage,
  longestFileSearch,
  mostDeletedAtOnce,
  newestFirst,
} from '../rules/files/file-order.ts'
import { linkStatuses } from '../rules/links/link-status.ts'
import { receiptDays } from '../rules/links/receipt.ts'
import { endpoint } from './endpoint.ts'
import { done, expirationDays, fitsDatabase, isoDate } from './fields.ts'

/** A SHA-256 in lower-case hexadecimal. */
export const sha256 = z.string().regex(/^[0-9a-f]{64}$/, 'Must be a SHA-256 in hexadecimal.')

/**
 * Spec §3, File. Sizes are in bytes. At `purgingAt` the server began to remove the bytes: from then
 * on the file is deleted, even if its dates would still allow a link. At `purgedAt` storage had
 * confirmed that the bytes were removed. `purgeDueAt` says when the removal was due. The server
 * records it when the removal begins, so until then it is null. It is also null for files whose
 * removal began under an older version of the server, which did not record it.
 */
export const fileSchema = z.object({
  id: z.uuid(),
  originalName: z.string(),
  mimeType: z.string(),
  size: z.int().nonnegative(),
  shortCode: z.string(),
  createdAt: isoDate,
  expiresAt: isoDate,
  maxLifetimeAt: isoDate,
  downloadCount: z.int().nonnegative(),
  uploadDuration: z.number().nonnegative().nullable(),
  purgingAt: isoDate.nullable(),
  purgedAt: isoDate.nullable(),
  purgeDueAt: isoDate.nullable(),
  /**
   * The SHA-256 of the whole file; null while the server does not know it. Storage that computes it
   * may do so only after the confirm. If storage computes none, it is the one that the client sent
   * in the confirm call, if any.
   */
  sha256: sha256.nullable(),
  /**
   * When the administrator took the file down, and why. Both are null if the file was not taken
   * down.
   */
  takenDownAt: isoDate.nullable(),
  takedownReason: z.string().nullable(),
})
export type File = z.infer<typeof fileSchema>

/** One answer lists at most this many receipts. */
const longestReceiptPage = 100

/** The greatest length of a cursor, in characters. A cursor can contain a long file name. */
const longestCursor = 1000

/** Any text is accepted as an id, since a wrong id only finds no file. */
const fileId = z.string().max(64)

/**
 * The receipt of a file that its owner deleted. `dueAt` says when the server should remove the
 * bytes. `purgedAt` says when storage confirmed that they were gone.
 */
const receipt = z.object({
  fileId: z.uuid(),
  originalName: z.string(),
  dueAt: isoDate,
  purgedAt: isoDate,
})
export type DeletionReceipt = z.infer<typeof receipt>

/** How many files have each status of spec §4. */
const fileCounts = z.record(z.enum(linkStatuses), z.int().nonnegative())
export type FileCounts = z.infer<typeof fileCounts>

export const files = {
  listFiles: endpoint({
    method: 'GET',
    path: '/api/files',
    summary:
      "The caller's files, newest first, or in the order of `sort` (a `-` before its key means descending): a page of at most `limit`. The header `x-next-cursor` leads to the next page of the same order; the last page has none. `search` finds names that hold this text, in capitals or not. `expiring=soon` finds files whose links are active and end within 24 hours.",
    access: 'user',
    query: z.object({
      limit: z.coerce.number().int().min(1).max(longestFilePage).default(longestFilePage),
      sort: z.enum(fileOrderTexts).default(formatOrder(newestFirst)),
      cursor: z.string().max(longestCursor).optional(),
      search: z
        .string()
        .max(longestFileSearch)
        .refine(fitsDatabase, 'Must be text.')
        .transform((text) => text.normalize('NFC').trim())
        .optional(),
      expiring: z.enum(['soon']).optional(),
    }),
    response: z.array(fileSchema),
    errors: ['UNAUTHORIZED'],
  }),
  countFiles: endpoint({
    method: 'GET',
    path: '/api/files/summary',
    summary:
      "How many of the caller's files have each link status now. Pages ask by themselves, so this call does not prolong the session.",
    access: 'user',
    isPolled: true,
    response: fileCounts,
    errors: ['UNAUTHORIZED'],
  }),
  listReceipts: endpoint({
    method: 'GET',
    path: '/api/files/receipts',
    summary: `The receipts of the files that the caller deleted in the last ${receiptDays} days, newest first: a page of at most \`limit\`. The header \`x-next-cursor\` leads to the next page; the last page has none.`,
    access: 'user',
    query: z.object({
      limit: z.coerce.number().int().min(1).max(longestReceiptPage).default(longestReceiptPage),
      cursor: z.string().max(longestCursor).optional(),
    }),
    response: z.array(receipt),
    errors: ['UNAUTHORIZED'],
  }),
  deleteFiles: endpoint({
    method: 'DELETE',
    path: '/api/files/bulk',
    summary:
      "Delete the caller's files among these, all or none. `notFound` lists the ids that are not there or not the caller's. The links end and the bytes are removed before it answers; what storage refuses to remove goes within minutes.",
    access: 'user',
    body: z.object({
      fileIds: z.array(fileId).min(1).max(mostDeletedAtOnce),
    }),
    response: done.extend({
      deletedCount: z.int().nonnegative(),
      notFound: z.array(z.string()),
    }),
    errors: ['UNAUTHORIZED'],
  }),
  deleteExpiredFiles: endpoint({
    method: 'DELETE',
    path: '/api/files/expired/bulk',
    summary:
      "Delete the caller's files that are over for good. Files that can still be renewed stay. The bytes of the first thousand files are removed before it answers, the others within minutes.",
    access: 'user',
    response: done.extend({ deletedCount: z.int().nonnegative() }),
    errors: ['UNAUTHORIZED'],
  }),
  renewFile: endpoint({
    method: 'PATCH',
    path: '/api/files/{id}/renew',
    summary:
      'Give a file a completely new link for some days (premium), which its tier must offer. The old link ends at once. No link lives longer than its file, until `maxLifetimeAt`.',
    access: 'user',
    params: z.object({ id: fileId }),
    body: z.object({ expirationDays }),
    response: fileSchema,
    errors: ['UNAUTHORIZED', 'FILE_NOT_FOUND', 'TIER_RENEWAL', 'TIER_EXPIRATION', 'FILE_GONE'],
  }),
  deleteFile: endpoint({
    method: 'DELETE',
    path: '/api/files/{id}',
    summary: 'Delete a file: its link ends at once and its bytes are removed.',
    access: 'user',
    params: z.object({ id: fileId }),
    response: done,
    errors: ['UNAUTHORIZED', 'FILE_NOT_FOUND'],
  }),
}
