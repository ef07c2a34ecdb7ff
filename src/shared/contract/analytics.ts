import { z } from 'zod'
import { fileKinds } from '../rules/files/file-kind.ts'
import { analyticsDays } from '../rules/format/day.ts'
import { endpoint } from './endpoint.ts'
import { isoDate, shortCode } from './fields.ts'
import { fileSchema } from './files.ts'

const count = z.int().nonnegative()

const dayCount = z.object({ day: z.iso.date(), count })

/** Statistics of a file, or of a link with all its files. */
const downloadStats = z.object({
  downloadCount: count,
  lastDownloadAt: isoDate.nullable(),
  days: z.array(dayCount).describe('Downloads of files on every day from the upload on, in UTC.'),
})
export type DownloadStats = z.infer<typeof downloadStats>

const analyticsResponse = z.object({
  kinds: z
    .array(z.object({ kind: z.enum(fileKinds), count, size: count }))
    .describe('Active and private files of each kind. Sizes are in bytes.'),
  expiringSoon: count.describe('How many links end within 24 hours.'),
  days: z.array(dayCount).length(analyticsDays).describe('Downloads per day, in UTC.'),
  mostDownloaded: z.array(fileSchema),
})
export type Analytics = z.infer<typeof analyticsResponse>

export const analytics = {
  analytics: endpoint('GET', '/api/analytics', {
    summary: `Get analytics of your files and the last ${analyticsDays} days (premium)`,
    access: { scope: 'stats:read' },
    response: analyticsResponse,
    errors: ['TIER_ANALYTICS'],
  }),
  fileStats: endpoint('GET', '/api/files/{id}/stats', {
    summary: 'Get the downloads of a file (premium)',
    access: { scope: 'stats:read' },
    params: z.object({ id: z.string().max(64) }),
    response: downloadStats,
    errors: ['TIER_ANALYTICS', 'FILE_NOT_FOUND'],
  }),
  linkStats: endpoint('GET', '/api/links/{code}/stats', {
    summary: 'Get the downloads of a link (premium). A ZIP archive counts once per file and day',
    access: { scope: 'stats:read' },
    params: z.object({ code: shortCode }),
    response: downloadStats,
    errors: ['TIER_ANALYTICS', 'LINK_NOT_FOUND'],
  }),
}
