import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { done, isoDate } from './fields.ts'

/** A SHA-256 in lower-case hexadecimal. */
export const sha256 = z.string().regex(/^[0-9a-f]{64}$/, 'Must be a SHA-256 in hexadecimal.')

/**
 * Spec §3, File. Sizes are bytes. `purgedAt` is the moment since when the bytes are gone, even if
 * the dates would still allow a link.
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
  purgedAt: isoDate.nullable(),
  /**
   * The SHA-256 of the whole file. Null for old files, from before it was kept, and if neither the
   * client nor storage computed it.
   */
  sha256: sha256.nullable(),
})
export type File = z.infer<typeof fileSchema>

export const files = {
  listFiles: endpoint({
    method: 'GET',
    path: '/api/files',
    summary:
      "The caller's files, newest first. With `limit` the answer is a page; `x-next-cursor` leads to the next.",
    access: 'user',
    query: z.object({
      limit: z.coerce.number().int().min(1).max(1000).optional(),
      cursor: z.string().max(200).optional(),
    }),
    response: z.array(fileSchema),
    errors: ['UNAUTHORIZED'],
  }),
  deleteFile: endpoint({
    method: 'DELETE',
    path: '/api/files/{id}',
    summary: 'Delete a file: its link ends at once and its bytes are removed.',
    access: 'user',
    params: z.object({ id: z.string().max(64) }),
    response: done,
    errors: ['UNAUTHORIZED', 'FILE_NOT_FOUND'],
  }),
}
