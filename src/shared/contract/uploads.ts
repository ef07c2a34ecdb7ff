import { z } from 'zod'
import { bodyChecksums } from '../rules/body-checksum.ts'
import { maxMediaTypeLength, mediaType } from '../rules/media-type.ts'
import { maxPartCount } from '../rules/part-plan.ts'
import { endpoint } from './endpoint.ts'
import { cloudKey, done, expirationDays, fitsDatabase } from './fields.ts'
import { fileSchema, sha256 } from './files.ts'

/** A media type as RFC 9110 writes it, without parameters; empty when the browser knows none. */
const mimeType = z
  .string()
  .max(maxMediaTypeLength)
  .transform((type) => type.split(';', 1)[0]?.trim().toLowerCase() || 'application/octet-stream')
  .pipe(z.string().regex(mediaType, 'Must be a media type such as image/png.'))

/** Metadata that the client sends back for its own use. The server trusts none of it. */
const uploadMetadata = z.record(z.string(), z.unknown())

/** Presigned URLs of parts, by part number. Each is valid for an hour. */
const partUrls = z.record(z.string(), z.string())

/**
 * S3 allows no higher part number. One request signs a limited number of parts, enough to send for
 * some time.
 */
const partNumber = z.int().min(1).max(maxPartCount)
const maxPartsSignedAtOnce = 100

/** The checksum that storage uses to check the body of a PUT. */
const checksum = z.enum(bodyChecksums)

const confirmBody = z.object({
  cloudKey,
  metadata: uploadMetadata.optional(),
  /** When the browser began the upload, in milliseconds since 1970 or as ISO 8601 text. */
  uploadStartTime: z.union([z.number(), z.string().max(40)]).optional(),
  /** The SHA-256 of the file at the sender. The stored bytes must have the same one. */
  sha256: sha256.optional(),
})

export const uploads = {
  getUploadUrl: endpoint({
    method: 'POST',
    path: '/api/files/get-upload-url',
    summary:
      'Start an upload: checks the tier and answers a presigned URL for the bytes. Each PUT, of a part too, sends them with `Content-Type: {metadata.mimeType}` and their exact `Content-Length`: both are signed.',
    access: 'user',
    body: z.object({
      fileName: z.string().min(1).max(1024),
      fileSize: z.int().nonnegative(),
      fileType: mimeType,
      expirationDays,
      /**
       * The user whom the client believes to be signed in. A session of another user is refused as
       * signed out.
       */
      ownerId: z.string().max(64).optional(),
      /** A client that lost the answer sends the same key again and gets the same open upload. */
      idempotencyKey: z.string().min(1).max(64).refine(fitsDatabase, 'Must be a key.').optional(),
    }),
    response: z.object({
      uploadUrl: z.string(),
      cloudKey: z.string(),
      metadata: z.object({
        originalName: z.string(),
        mimeType: z.string(),
        size: z.int(),
        expirationDays: z.string(),
      }),
      /**
       * Offered for a file larger than one part. It has the size in bytes of each part but the
       * last, the number of parts, and the URLs of the first ones, so that these can be sent at
       * once.
       */
      parts: z.object({ size: z.int(), count: z.int(), urls: partUrls }).optional(),
      checksum,
      /**
       * True where storage computes the SHA-256 of the stored bytes. A confirm that names another
       * SHA-256 is then refused. Where it is false, the server believes the confirmed SHA-256: send
       * it only if this upload has sent all those bytes.
       */
      computesSha256: z.boolean(),
    }),
    errors: [
      'UNAUTHORIZED',
      'TIER_FILE_COUNT',
      'TIER_FILE_SIZE',
      'TIER_EXPIRATION',
      'FILE_TOO_LARGE',
      'UPLOADS_UNFINISHED',
      'STORAGE_FULL',
    ],
  }),
  confirmUpload: endpoint({
    method: 'POST',
    path: '/api/files/confirm-upload',
    summary: 'Finish an upload: the stored bytes are checked and become a file with a link.',
    access: 'user',
    body: confirmBody,
    response: fileSchema,
    errors: [
      'UNAUTHORIZED',
      'UPLOAD_NOT_FOUND',
      'UPLOAD_INCOMPLETE',
      'SIZE_MISMATCH',
      'CHECKSUM_MISMATCH',
      'TIER_FILE_COUNT',
    ],
  }),
  createFileRecord: endpoint({
    method: 'POST',
    path: '/api/files',
    summary: 'The same as confirm-upload: creates the file record after a direct upload.',
    access: 'user',
    body: confirmBody,
    response: fileSchema,
    errors: [
      'UNAUTHORIZED',
      'UPLOAD_NOT_FOUND',
      'UPLOAD_INCOMPLETE',
      'SIZE_MISMATCH',
      'CHECKSUM_MISMATCH',
      'TIER_FILE_COUNT',
    ],
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
           * The part's checksum of the kind that the upload's `checksum` names, in base64. Absent
           * where storage does not tell it.
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
    summary: 'Give up an upload: its place is free at once and its bytes are removed.',
    access: 'user',
    body: z.object({ cloudKey }),
    response: done,
    errors: ['UNAUTHORIZED', 'UPLOAD_NOT_FOUND'],
  }),
}
