import { z } from 'zod'
import { capKeys } from '../rules/files/storage-cap.ts'
import { limitKeys } from '../rules/tiers/limit-settings.ts'
import { endpoint } from './endpoint.ts'

const byteCount = z.int().nonnegative()

export const adminLimits = {
  adminLimits: endpoint({
    method: 'GET',
    path: '/api/admin/limits',
    summary:
      'The settings of limits and caps that are in force, and how much is in use: bytes of files, bytes that open uploads announced, and free space of the disk where new files are kept on it. `leastFree` is what uploads leave free, `minFree` the part of `MIN_FREE_SPACE` in it. `use` is what Mayfly takes of the disk: files, bytes of unfinished uploads, the embedded database, the space that is kept for it, and everything else in `DATA_DIR`.',
    access: 'admin',
    response: z.object({
      values: z.record(z.enum([...limitKeys, ...capKeys]), z.string()),
      stored: z.object({ files: byteCount, uploads: byteCount }),
      disk: z
        .object({
          free: byteCount,
          size: byteCount,
          leastFree: byteCount,
          minFree: byteCount,
          use: z.object({
            files: byteCount,
            uploads: byteCount,
            database: byteCount,
            reserve: byteCount,
            other: byteCount,
          }),
        })
        .nullable(),
    }),
    errors: ['UNAUTHORIZED', 'FORBIDDEN'],
  }),
}
