import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import type { ErrorCode } from './errors.ts'
import { shortCode } from './fields.ts'

const downloadErrors = [
  'DOWNLOAD_ONLY',
  'LINK_LOCKED',
  'LINK_NOT_FOUND',
  'PASSWORDS_BUSY',
  'PRECONDITION_FAILED',
  'RANGE_NOT_SATISFIABLE',
  'STILL_UPLOADING',
  'TOO_MANY_TRANSFERS',
  'WRONG_PASSWORD',
] as const satisfies ErrorCode[]

const codeParams = z.object({ code: shortCode })

/** Maximum size of the submitted form, in bytes. */
const maxFormSize = 4 * 1024

export const downloads = {
  download: endpoint('GET', '/api/download/{code}', {
    summary:
      'Download a file, or several as a ZIP archive. Supports HEAD, ranges and conditional requests',
    access: 'visitor',
    params: codeParams,
    response: { raw: 'bytes' },
    errors: downloadErrors,
  }),
  downloadFile: endpoint('GET', '/api/download/{code}/{fileId}', {
    summary: 'Download one file of a link. Supports HEAD, ranges and conditional requests',
    access: 'visitor',
    params: codeParams.extend({ fileId: z.string().max(64) }),
    response: { raw: 'bytes' },
    errors: [...downloadErrors, 'FILE_NOT_FOUND'],
  }),
  openLink: endpoint('GET', '/s/{code}', {
    summary: 'Get the download page in a browser, the bytes with other clients',
    access: 'visitor',
    params: codeParams,
    response: { raw: 'page' },
    errors: downloadErrors,
  }),
  unlockPage: endpoint('POST', '/s/{code}', {
    summary: 'Unlock a link by the form of its page',
    access: 'visitor',
    params: codeParams,
    bytes: { types: ['application/x-www-form-urlencoded'], maxSize: maxFormSize },
    response: { raw: 'page' },
  }),
  openDownloadPage: endpoint('GET', '/download/{code}', {
    summary: 'Get the download page',
    access: 'visitor',
    params: codeParams,
    response: { raw: 'page' },
  }),
}
