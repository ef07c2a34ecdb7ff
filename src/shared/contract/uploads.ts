import { z } from 'zod'
import { bodyChecksums, maxPartCount } from '../rules/files/part-plan.ts'
import { storageNames } from '../rules/files/storage-name.ts'
import { isStorableText } from '../rules/format/text.ts'
import { batchOf, maxBatchLength, resultsOf } from './batch.ts'
import { endpoint } from './endpoint.ts'
import type { ErrorCode } from './errors.ts'
import { cloudKey, expirationDays, fileName, messageResponse, mimeType } from './fields.ts'
import { fileSchema, sha256 } from './files.ts'

const partUrls = z
  .record(z.string(), z.string())
  .describe('Presigned URLs by part number. Each works for an hour.')

const maxPartsSignedAtOnce = 100

export const startBody = z.object({
  fileName: fileName.describe('The server cleans it; see `metadata.originalName` in the answer.'),
  fileSize: z.int().nonnegative().describe('The exact size in bytes. It is signed.'),
  fileType: mimeType.describe('The media type. If empty, `application/octet-stream`.'),
  expirationDays,
  ownerId: z
    .string()
    .max(64)
    .optional()
    .describe('The expected user. If the session belongs to another one, the answer is 401.'),
  idempotencyKey: z
    .string()
    .min(1)
    .max(64)
    .refine(isStorableText, 'Must be a key.')
    .optional()
    .describe('A key of your choice. The same key returns the same open upload.'),
})

export const startResponse = z.object({
  uploadUrl: z.string().describe('The presigned URL for the whole file.'),
  cloudKey: z.string(),
  shortCode: z
    .string()
    .describe('The end of the link, which can be shared at once: `/s/{shortCode}`.'),
  metadata: z
    .object({
      originalName: z.string(),
      mimeType: z.string().describe('The `Content-Type` of every PUT.'),
      size: z.int(),
      expirationDays: z.string(),
    })
    .describe('Send it back when you confirm.'),
  parts: z
    .object({
      size: z.int().describe('The size of every part but the last, in bytes.'),
      count: z.int(),
      urls: partUrls,
    })
    .optional()
    .describe('Only for files larger than one part: how to send the file in parts.'),
  checksum: z.enum(bodyChecksums).describe('The kind of checksum that a PUT can send.'),
  store: z.enum(storageNames),
  computesSha256: z.boolean().describe('Whether storage compares the SHA-256 of a confirm.'),
})

export const startErrors = [
  'TIER_FILE_COUNT',
  'TIER_FILE_SIZE',
  'TIER_EXPIRATION',
  'FILE_TOO_LARGE',
  'UPLOADS_UNFINISHED',
  'STORAGE_FULL',
  'STORAGE_CAP_REACHED',
] as const satisfies ErrorCode[]

const confirmBody = z.object({
  cloudKey,
  metadata: z
    .record(z.string(), z.unknown())
    .optional()
    .describe('As the start returned it. The server ignores it.'),
  uploadStartTime: z
    .union([z.number(), z.string().max(40)])
    .optional()
    .describe('When the upload began, in milliseconds since 1970 or as ISO 8601.'),
  sha256: sha256.optional(),
  crc32: z
    .int()
    .min(0)
    .max(2 ** 32 - 1)
    .optional()
    .describe('Used for archives until the server has computed it.'),
})

export const confirmErrors = [
  'UPLOAD_NOT_FOUND',
  'UPLOAD_INCOMPLETE',
  'SIZE_MISMATCH',
  'CHECKSUM_MISMATCH',
  'UPLOAD_SUPERSEDED',
  'CONTENT_BLOCKED',
  'TIER_FILE_COUNT',
] as const satisfies ErrorCode[]

/** In bytes. `maxBatchLength` entries with names of the maximum length exceed 300 KiB. */
const maxBatchSize = 512 * 1024

export const uploads = {
  getUploadUrl: endpoint('POST', '/api/files/get-upload-url', {
    summary: 'Start an upload',
    access: { scope: 'files:write' },
    body: startBody,
    response: startResponse,
    errors: startErrors,
  }),
  getUploadUrls: endpoint('POST', '/api/files/get-upload-urls', {
    summary: `Start up to ${maxBatchLength} uploads. Each one succeeds or fails on its own`,
    access: { scope: 'files:write' },
    body: z.object({ files: batchOf(startBody) }),
    maxBodySize: maxBatchSize,
    response: resultsOf(startResponse),
  }),
  confirmUpload: endpoint('POST', '/api/files/confirm-upload', {
    summary: 'Finish an upload: turn the stored bytes into a file with a link',
    access: { scope: 'files:write', uploadToken: true },
    body: confirmBody,
    response: z
      .union([fileSchema, fileSchema.pick({ originalName: true, mimeType: true, size: true })])
      .describe('Senders with a delivery token get only what they sent.'),
    errors: confirmErrors,
  }),
  confirmUploads: endpoint('POST', '/api/files/confirm-uploads', {
    summary: `Finish up to ${maxBatchLength} uploads. Each one succeeds or fails on its own`,
    access: { scope: 'files:write' },
    body: z.object({ uploads: batchOf(confirmBody) }),
    maxBodySize: maxBatchSize,
    response: resultsOf(fileSchema),
  }),
  createFileRecord: endpoint('POST', '/api/files', {
    summary: 'Same as confirm-upload',
    access: { scope: 'files:write' },
    body: confirmBody,
    response: fileSchema,
    errors: confirmErrors,
  }),
  signParts: endpoint('POST', '/api/files/upload-parts', {
    summary: 'Sign URLs for parts of an upload',
    access: { scope: 'files:write', uploadToken: true },
    body: z.object({
      cloudKey,
      partNumbers: z
        .array(z.int().min(1).max(maxPartCount))
        .min(1)
        .max(maxPartsSignedAtOnce)
        .describe('Counted from 1.'),
    }),
    response: z.object({ urls: partUrls }),
    errors: ['UPLOAD_NOT_FOUND', 'PART_NOT_FOUND'],
  }),
  listParts: endpoint('GET', '/api/files/upload-parts', {
    summary: 'List the parts that storage has',
    access: { scope: 'files:write', uploadToken: true },
    query: z.object({ cloudKey }),
    response: z.object({
      parts: z.array(
        z.object({
          partNumber: z.int().describe('Counted from 1.'),
          size: z.int().describe('In bytes.'),
          checksum: z
            .string()
            .optional()
            .describe('In base64, of the kind that the start named. Absent if unknown.'),
        }),
      ),
    }),
    errors: ['UPLOAD_NOT_FOUND'],
  }),
  abortUpload: endpoint('POST', '/api/files/abort-upload', {
    summary: 'Cancel an upload: free its slot and delete its bytes',
    access: { scope: 'files:write', uploadToken: true },
    body: z.object({ cloudKey }),
    response: messageResponse,
    errors: ['UPLOAD_NOT_FOUND'],
  }),
}
