import { z } from 'zod'
import {
  fileOrderTexts,
  formatOrder,
  maxFilePageSize,
  maxFileSearchLength,
  maxFilesPerDeletion,
  newestFirst,
} from '../rules/files/file-order.ts'
import { isStorableText } from '../rules/format/text.ts'
import { linkStatuses } from '../rules/links/link-status.ts'
import { receiptDays } from '../rules/links/receipt.ts'
import { endpoint } from './endpoint.ts'
import { expirationDays, isoDate, messageResponse, numberOfDays } from './fields.ts'

export const sha256 = z
  .string()
  .regex(/^[0-9a-f]{64}$/, 'Must be a SHA-256 in hexadecimal.')
  .describe('The SHA-256 of the whole file, in lower-case hexadecimal.')

/** A file as shown to its owner (spec §3, File). */
export const fileSchema = z.object({
  id: z.uuid(),
  originalName: z.string(),
  mimeType: z.string(),
  size: z.int().nonnegative().describe('In bytes.'),
  shortCode: z.string().describe('The end of the link: `/s/{shortCode}`.'),
  createdAt: isoDate,
  expiresAt: isoDate.describe('When the link ends.'),
  maxLifetimeAt: isoDate.describe('When the file is deleted at the latest, even if renewed.'),
  downloadCount: z.int().nonnegative(),
  uploadDuration: z.number().nonnegative().nullable().describe('In seconds; null if unknown.'),
  purgingAt: isoDate
    .nullable()
    .describe('When the server began to delete the bytes. From then on the link is dead.'),
  purgedAt: isoDate.nullable().describe('When storage confirmed that the bytes are gone.'),
  purgeDueAt: isoDate.nullable().describe('When the deletion was due; null before it begins.'),
  sha256: sha256.nullable().describe('Null until the server knows it.'),
  takenDownAt: isoDate.nullable().describe('When the administrator took the file down.'),
  takedownReason: z.string().nullable(),
})
export type File = z.infer<typeof fileSchema>

const maxReceiptPageSize = 100

/** In characters. The limit is high because a cursor can contain a long file name. */
const maxCursorLength = 1000
const pageLimit = z.coerce.number().int().min(1).max(maxFilePageSize).default(maxFilePageSize)
const cursorText = 'The `x-next-cursor` of the previous page.'

/** Any text is accepted, not only UUIDs, because an unknown id simply finds no file. */
const fileId = z.string().max(64)

const receipt = z.object({
  fileId: z.uuid(),
  originalName: z.string(),
  dueAt: isoDate.describe('When the deletion was due.'),
  purgedAt: isoDate.describe('When storage confirmed that the bytes are gone.'),
})
export type DeletionReceipt = z.infer<typeof receipt>

const statusCounts = z.record(z.enum(linkStatuses), z.int().nonnegative())

/** The number of files and of links per link status (spec §4). */
const fileCounts = z.object({ files: statusCounts, links: statusCounts })
export type FileCounts = z.infer<typeof fileCounts>

const preferences = z.object({
  defaultExpirationDays: numberOfDays.describe('The default for new uploads.'),
  mailOnFirstDownload: z.boolean().describe('Whether to email you at the first download.'),
  mailBeforeExpiry: z.boolean().describe('Whether to email you a day before a link ends.'),
  mailOnDelivery: z.boolean().describe('Whether to email you when a request receives files.'),
})

/** The query of a list of links. */
export const linkListQuery = z.object({
  limit: pageLimit,
  sort: z
    .enum(fileOrderTexts)
    .default(formatOrder(newestFirst))
    .describe('A `-` in front means descending.'),
  cursor: z
    .string()
    .max(maxCursorLength)
    .optional()
    .describe(`${cursorText} Only for the same order.`),
  search: z
    .string()
    .max(maxFileSearchLength)
    .refine(isStorableText, 'Must be text.')
    .transform((text) => text.normalize('NFC').trim())
    .optional()
    .describe('Part of a file name or title, case-insensitive.'),
  expiring: z.enum(['soon']).optional().describe('Only active links that end within 24 hours.'),
  requestId: z.uuid().optional().describe('Only links that this request received.'),
})

export const files = {
  listFiles: endpoint('GET', '/api/files', {
    summary: 'List your files, newest first',
    access: { scope: 'files:read' },
    query: z.object({
      limit: pageLimit,
      cursor: z.string().max(maxCursorLength).optional().describe(cursorText),
    }),
    response: z.array(fileSchema),
  }),
  countFiles: endpoint('GET', '/api/files/summary', {
    summary: "Count your files and links by link status. Doesn't extend the session",
    access: { scope: 'files:read' },
    isPolled: true,
    response: fileCounts,
  }),
  listReceipts: endpoint('GET', '/api/files/receipts', {
    summary: `List receipts for the files you deleted in the last ${receiptDays} days, newest first`,
    access: { scope: 'files:read' },
    query: z.object({
      limit: z.coerce.number().int().min(1).max(maxReceiptPageSize).default(maxReceiptPageSize),
      cursor: z.string().max(maxCursorLength).optional(),
    }),
    response: z.array(receipt),
  }),
  deleteFiles: endpoint('DELETE', '/api/files/bulk', {
    summary: 'Delete files. Ids that are unknown or not yours are listed in `notFound`',
    access: { scope: 'files:delete' },
    body: z.object({
      fileIds: z.array(fileId).min(1).max(maxFilesPerDeletion),
    }),
    response: messageResponse.extend({
      deletedCount: z.int().nonnegative(),
      notFound: z.array(z.string()),
    }),
  }),
  deleteExpiredFiles: endpoint('DELETE', '/api/files/expired/bulk', {
    summary: 'Clear your history. Files that can still be renewed stay',
    access: { scope: 'files:delete' },
    response: messageResponse.extend({ deletedCount: z.int().nonnegative() }),
  }),
  renewFile: endpoint('PATCH', '/api/files/{id}/renew', {
    summary: 'Renew a file: give it a new link and end the old one (premium)',
    access: { scope: 'files:write' },
    params: z.object({ id: fileId }),
    body: z.object({ expirationDays }),
    response: fileSchema,
    errors: ['FILE_NOT_FOUND', 'TIER_RENEWAL', 'TIER_EXPIRATION', 'FILE_GONE', 'DOWNLOADS_USED_UP'],
  }),
  deleteFile: endpoint('DELETE', '/api/files/{id}', {
    summary: 'Delete a file',
    access: { scope: 'files:delete' },
    params: z.object({ id: fileId }),
    response: messageResponse,
    errors: ['FILE_NOT_FOUND'],
  }),
  preferences: endpoint('GET', '/api/preferences', {
    summary: 'Get your settings of the File Manager',
    access: 'user',
    response: preferences,
  }),
  changePreferences: endpoint('PATCH', '/api/preferences', {
    summary: 'Change your settings of the File Manager (premium), or only `mailOnDelivery`',
    access: 'user',
    body: z.strictObject({
      defaultExpirationDays: expirationDays.optional(),
      mailOnFirstDownload: z.boolean().optional(),
      mailBeforeExpiry: z.boolean().optional(),
      mailOnDelivery: z.boolean().optional(),
    }),
    response: preferences,
    errors: ['TIER_FILE_MANAGER', 'TIER_EXPIRATION'],
  }),
}
