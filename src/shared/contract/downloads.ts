import { z } from 'zod'
import { brandSchema } from './branding.ts'
import { endpoint } from './endpoint.ts'
import { shortCode } from './fields.ts'
import { fileSchema } from './files.ts'

const codeParams = z.object({ code: shortCode })

export const downloads = {
  download: endpoint('GET', '/api/download/{code}', {
    summary: 'Download a file. Supports HEAD, ranges and conditional requests',
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
  openLink: endpoint('GET', '/s/{code}', {
    summary: 'Get the download page in a browser, the bytes with other clients',
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
  openDownloadPage: endpoint('GET', '/download/{code}', {
    summary: 'Get the download page',
    access: 'visitor',
    params: codeParams,
    response: { raw: 'page' },
  }),
  linkDetails: endpoint('GET', '/api/links/{code}', {
    summary: 'Get what the download page shows',
    access: 'visitor',
    params: codeParams,
    response: z.object({
      ...fileSchema.pick({
        shortCode: true,
        originalName: true,
        mimeType: true,
        size: true,
        createdAt: true,
        expiresAt: true,
        maxLifetimeAt: true,
        sha256: true,
      }).shape,
      branding: brandSchema.nullable().describe("The sender's brand."),
    }),
    errors: ['LINK_NOT_FOUND'],
  }),
}
