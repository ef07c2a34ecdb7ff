import { z } from 'zod'
import { brandSchema } from './branding.ts'
import { endpoint } from './endpoint.ts'
import { isoDate, shortCode } from './fields.ts'
import { sha256 } from './files.ts'

const codeParams = z.object({ code: shortCode })

export const downloads = {
  download: endpoint({
    method: 'GET',
    path: '/api/download/{code}',
    summary: 'The bytes of a file: HEAD, ranges and conditional requests work.',
    access: 'visitor',
    params: codeParams,
    response: { raw: 'bytes' },
    errors: [
      'DOWNLOAD_ONLY',
      'LINK_NOT_FOUND',
      'PRECONDITION_FAILED',
      'RANGE_NOT_SATISFIABLE',
      'TOO_MANY_TRANSFERS',
    ],
  }),
  openLink: endpoint({
    method: 'GET',
    path: '/s/{code}',
    summary: 'The download page for browsers and chat previews, the bytes for everything else.',
    access: 'visitor',
    params: codeParams,
    response: { raw: 'page' },
    errors: [
      'DOWNLOAD_ONLY',
      'LINK_NOT_FOUND',
      'PRECONDITION_FAILED',
      'RANGE_NOT_SATISFIABLE',
      'TOO_MANY_TRANSFERS',
    ],
  }),
  openDownloadPage: endpoint({
    method: 'GET',
    path: '/download/{code}',
    summary: 'The download page.',
    access: 'visitor',
    params: codeParams,
    response: { raw: 'page' },
    errors: [],
  }),
  linkDetails: endpoint({
    method: 'GET',
    path: '/api/links/{code}',
    summary: 'What the download page shows of a link.',
    access: 'visitor',
    params: codeParams,
    response: z.object({
      shortCode: z.string(),
      originalName: z.string(),
      mimeType: z.string(),
      size: z.int(),
      createdAt: isoDate,
      expiresAt: isoDate,
      maxLifetimeAt: isoDate,
      sha256: sha256.nullable(),
      /** The sender's own brand; null shows the brand of Mayfly. */
      branding: brandSchema.nullable(),
    }),
    errors: ['LINK_NOT_FOUND'],
  }),
}
