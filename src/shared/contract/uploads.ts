import { z } from 'zod'
import { bodyChecksums, maxPartCount } from '../rules/files/part-plan.ts'
import { storageNames } from '../rules/files/storage-name.ts'
import { batchOf, mostInBatch, resultsOf } from './batch.ts'
import { endpoint } from './endpoint.ts'
import type { ErrorCode } from './errors.ts'
import { cloudKey, done, expirationDays, fileName, fitsDatabase, mimeType } from './fields.ts'
import { fileSchema, sha256 } from './files.ts'

/** Metadata that the client sends back unchanged. The server trusts none of it. */
const uploadMetadata = z.record(z.string(), z.unknown())

/** Presigned URLs of parts, by part number. Each is valid for an hour. */
const partUrls = z.record(z.string(), z.string())

/**
 * S3 allows no higher part number than `maxPartCount`. `maxPartsSignedAtOnce` limits one request:
 * 100 signed parts keep a client busy for some time.
 */
const partNumber = z.int().min(1).max(maxPartCount)
const maxPartsSignedAtOnce = 100

/** The checksum by which storage checks the body of a PUT. */
const checksum = z.enum(bodyChecksums)

const startBody = z.object({
  fileName,
  fileSize: z.int().nonnegative(),
  fileType: mimeType,
  expirationDays,
  /**
   * The user whom the client believes to be signed in. If the session belongs to another user,
   * the answer is 401.
   */
  ownerId: z.string().max(64).optional(),
  /** A client that lost the answer sends the same key again and gets the same open upload. */
  idempotencyKey: z.string().min(1).max(64).refine(fitsDatabase, 'Must be a key.').optional(),
})

const started = z.object({
  uploadUrl: z.string(),
  cloudKey: z.string(),
  metadata: z.object({
    originalName: z.string(),
    mimeType: z.string(),
    size: z.int(),
    expirationDays: z.string(),
  }),
  /**
   * Present for a file that is larger than one part. `size` is the size of each part in bytes,
   * except the last part. `urls` has the presigned URLs of the first parts, so that the client
   * can send them immediately.
   */
  parts: z.object({ size: z.int(), count: z.int(), urls: partUrls }).optional(),
  checksum,
  /** Where the bytes go. */
  store: z.enum(storageNames),
  /**
   * Says what the server does with a SHA-256 in the confirm call. True: storage computes the
   * SHA-256 of the stored bytes, and the call is refused if the two differ. False: storage
   * computes none, and the server keeps the one of the call without checking it, unless blocked
   * content has the same size. A client may then name one only if it has sent all bytes of the
   * file itself. Parts that were stored earlier could hold other bytes.
   */
  computesSha256: z.boolean(),
})

const confirmBody = z.object({
  cloudKey,
  metadata: uploadMetadata.optional(),
  /** When the browser began the upload, in milliseconds since 1970 or as ISO 8601 text. */
  uploadStartTime: z.union([z.number(), z.string().max(40)]).optional(),
  /** The SHA-256 of the sender's file. The stored bytes must have the same one. */
  sha256: sha256.optional(),
})

/** How a confirmation can be refused. */
const confirmErrors = [
  'UNAUTHORIZED',
  'UPLOAD_NOT_FOUND',
  'UPLOAD_INCOMPLETE',
  'SIZE_MISMATCH',
  'CHECKSUM_MISMATCH',
  'UPLOAD_SUPERSEDED',
  'CONTENT_BLOCKED',
  'TIER_FILE_COUNT',
] as const satisfies ErrorCode[]

/**
 * How many bytes the request body of a batch may have. Most calls accept less, but a body with
 * `mostInBatch` entries, each with the longest possible file name, has more than 300 KiB.
 */
const maxBatchSize = 512 * 1024

export const uploads = {
  getUploadUrl: endpoint({
    method: 'POST',
    path: '/api/files/get-upload-url',
    summary:
      'Start an upload: checks the tier and answers a presigned URL for the bytes. Each PUT, of a part too, sends them with `Content-Type: {metadata.mimeType}` and their exact `Content-Length`: both are signed.',
    access: 'user',
    body: startBody,
    response: started,
    errors: [
      'UNAUTHORIZED',
      'TIER_FILE_COUNT',
      'TIER_FILE_SIZE',
      'TIER_EXPIRATION',
      'FILE_TOO_LARGE',
      'UPLOADS_UNFINISHED',
      'STORAGE_FULL',
      'STORAGE_CAP_REACHED',
    ],
  }),
  getUploadUrls: endpoint({
    method: 'POST',
    path: '/api/files/get-upload-urls',
    summary: `Start up to ${mostInBatch} uploads. Each entry is the body of get-upload-url, and each result is what that call would answer: an upload, or an error. An entry that is refused refuses no other one.`,
    access: 'user',
    body: z.object({ files: batchOf(startBody) }),
    maxBodySize: maxBatchSize,
    response: resultsOf(started),
    errors: ['UNAUTHORIZED'],
  }),
  confirmUpload: endpoint({
    method: 'POST',
    path: '/api/files/confirm-upload',
    summary: 'Finish an upload: the stored bytes are checked and become a file with a link.',
    access: 'user',
    body: confirmBody,
    response: fileSchema,
    errors: confirmErrors,
  }),
  confirmUploads: endpoint({
    method: 'POST',
    path: '/api/files/confirm-uploads',
    summary: `Finish up to ${mostInBatch} uploads. Each entry is the body of confirm-upload, and each result is what that call would answer: a file, or an error. An entry that is refused refuses no other one.`,
    access: 'user',
    body: z.object({ uploads: batchOf(confirmBody) }),
    maxBodySize: maxBatchSize,
    response: resultsOf(fileSchema),
    errors: ['UNAUTHORIZED'],
  }),
  createFileRecord: endpoint({
    method: 'POST',
    path: '/api/files',
    summary: 'The same as confirm-upload: creates the file record after a direct upload.',
    access: 'user',
    body: confirmBody,
    response: fileSchema,
    errors: confirmErrors,
  }),
  signParts: endpoint({
    method: 'POST',
    path: '/api/files/upload-parts',
    summary:
      'Presigned URLs for parts of an upload, by part number. Ask when they are needed. Each PUT sends the signed `Content-Type` and `Content-Length`, as for the whole file.',
    access: 'user',
    body: z.object({
      cloudKey,
      partNumbers: z.array(partNumber).min(1).max(maxPartsSignedAtOnce),
    }),
    response: z.object({ urls: partUrls }),
    errors: ['UNAUTHORIZED', 'UPLOAD_NOT_FOUND', 'PART_NOT_FOUND'],
  }),
  listParts: endpoint({
    method: 'GET',
    path: '/api/files/upload-parts',
    summary: 'The parts of an upload that storage holds, by part number.',
    access: 'user',
    query: z.object({ cloudKey }),
    response: z.object({
      parts: z.array(
        z.object({
          /** Counted from 1. */
          partNumber: z.int(),
          /** In bytes. */
          size: z.int(),
          /**
           * The part's checksum in base64. The field `checksum` in the answer of get-upload-url
           * names the algorithm. Absent if storage does not report the checksum.
           */
          checksum: z.string().optional(),
        }),
      ),
    }),
    errors: ['UNAUTHORIZED', 'UPLOAD_NOT_FOUND'],
  }),
  abortUpload: endpoint({
    method: 'POST',
    path: '/api/files/abort-upload',
    summary: 'Give up an upload: its slot is free at once and its bytes are removed.',
    access: 'user',
    body: z.object({ cloudKey }),
    response: done,
    errors: ['UNAUTHORIZED', 'UPLOAD_NOT_FOUND'],
  }),
}
