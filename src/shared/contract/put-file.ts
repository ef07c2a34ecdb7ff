import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { expirationDays } from './fields.ts'
import { fileSchema } from './files.ts'
import { linkPassword, maxDownloads } from './links.ts'
import { confirmErrors, startErrors } from './uploads.ts'

export const putFile = {
  putFile: endpoint('PUT', '/api/up/{name}', {
    summary:
      'Upload a file in one call, with a length or without. ' +
      'The answer is its link in one line of text, or the file for clients that accept JSON',
    access: { scope: 'files:write' },
    params: z.object({ name: z.string().max(1024).describe('Can be empty.') }),
    query: z.object({
      days: expirationDays.optional(),
      password: linkPassword.optional(),
      maxDownloads: z.coerce.number().pipe(maxDownloads).optional(),
    }),
    bytes: { types: ['*/*'], maxSize: null },
    response: { raw: 'text', json: fileSchema },
    status: 201,
    errors: [
      ...startErrors,
      ...confirmErrors,
      'UPLOAD_SEALED',
      'TOO_MANY_TRANSFERS',
      'PASSWORDS_BUSY',
      'DISK_FULL',
    ],
  }),
}
