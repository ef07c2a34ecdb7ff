import { z } from 'zod'
import { fileKinds } from '../rules/files/file-kind.ts'
import { analyticsDays } from '../rules/format/day.ts'
import { endpoint } from './endpoint.ts'
import { isoDate } from './fields.ts'
import { fileSchema } from './files.ts'

const count = z.int().nonnegative()

/** The number of downloads on one day (in UTC). */
const dayCount = z.object({ day: z.iso.date(), count })

const fileStats = z.object({
  downloadCount: count,
  /** Null before the first download. */
  lastDownloadAt: isoDate.nullable(),
  /**
   * Every day from the upload on. The last day is today, or the end of the file's longest life if
   * that is earlier.
   */
  days: z.array(dayCount),
})
export type FileStats = z.infer<typeof fileStats>

const analyticsAnswer = z.object({
  /**
   * Every kind once, with the number and size of its files. Only files whose links are active or
   * private (spec §4) are counted. Sizes are in bytes.
   */
  kinds: z.array(z.object({ kind: z.enum(fileKinds), count, size: count })),
  /** How many links end within 24 hours. */
  expiringSoon: count,
  /** The downloads of all files, including files that were deleted later. */
  days: z.array(dayCount).length(analyticsDays),
  /** The most downloaded files, in falling order. Files without a download are left out. */
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
