import { z } from 'zod'
import { fileKinds } from '../rules/file-kind.ts'
import { endpoint } from './endpoint.ts'
import { isoDate } from './fields.ts'
import { fileSchema } from './files.ts'

/** How many days `GET /api/analytics` counts downloads for; today is the last of them. */
export const analyticsDays = 30

const count = z.int().nonnegative()

/** The downloads of a day of UTC. */
const dayCount = z.object({ day: z.iso.date(), count })

const fileStats = z.object({
  downloadCount: count,
  /** Null before the first download. */
  lastDownloadAt: isoDate.nullable(),
  /** Every day from the upload until now, or until the file's 30 days are over. */
  days: z.array(dayCount),
})
export type FileStats = z.infer<typeof fileStats>

const analyticsAnswer = z.object({
  /** Every kind once, with the files that are not over for good. Sizes are bytes. */
  kinds: z.array(z.object({ kind: z.enum(fileKinds), count, size: count })),
  /** How many links end within 24 hours. */
  expiringSoon: count,
  /** The downloads of all files, also of those that were deleted since. */
  days: z.array(dayCount).length(analyticsDays),
  /** The most downloaded first; none without a download. */
  mostDownloaded: z.array(fileSchema),
})
export type Analytics = z.infer<typeof analyticsAnswer>

export const analytics = {
  analytics: endpoint({
    method: 'GET',
    path: '/api/analytics',
    summary: `The caller's files by kind, the links that end soon, the downloads of each of the last ${analyticsDays} days (UTC), and the most downloaded files (premium).`,
    access: 'user',
    response: analyticsAnswer,
    errors: ['UNAUTHORIZED', 'TIER_ANALYTICS'],
  }),
  fileStats: endpoint({
    method: 'GET',
    path: '/api/files/{id}/stats',
    summary: 'The downloads of a file: in all, the last one, and for each day (UTC) (premium).',
    access: 'user',
    params: z.object({ id: z.string().max(64) }),
    response: fileStats,
    errors: ['UNAUTHORIZED', 'TIER_ANALYTICS', 'FILE_NOT_FOUND'],
  }),
}
