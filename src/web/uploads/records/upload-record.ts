import { z } from 'zod'
import { uploads } from '../../../shared/contract/uploads.ts'
import { expirationDays } from '../../../shared/rules/lifetime.ts'
import { uploadPaths } from '../../../shared/rules/upload-path.ts'

/** Milliseconds since 1970. */
const moment = z.number()
const byteCount = z.int().nonnegative()

const { parts, ...started } = uploads.getUploadUrl.response.shape

/**
 * Where the bytes of an upload are sent: the answer of get-upload-url without the URLs of parts.
 * Those URLs expire within the hour, and anyone who has one can write, so no record keeps them.
 */
const ticketSchema = z.object({
  ...started,
  /**
   * Metadata that goes back to the server unchanged. The browser itself needs only the media type.
   */
  metadata: z.looseObject({ mimeType: z.string() }),
  /** Absent where the file is sent in one PUT. */
  parts: parts.unwrap().omit({ urls: true }).optional(),
  /** Absent in tickets of older versions. */
  computesSha256: started.computesSha256.optional(),
})
export type UploadTicket = z.infer<typeof ticketSchema>

/** What recognises a file when it is chosen again. */
const fileIdentity = z.object({
  /** The file's name on the disk, not cleaned. */
  name: z.string(),
  size: byteCount,
  lastModified: moment,
  /** A hash over samples of the file's bytes; null until it is computed. */
  sample: z.string().nullable(),
})
export type FileIdentity = z.infer<typeof fileIdentity>

/**
 * An upload as the browser's storage keeps it (spec §3). Records of older versions are read by this
 * schema too: a field that is added to it must be optional.
 */
const uploadRecord = z.object({
  /** Ids sort by the order in which the uploads were added. */
  id: z.string(),
  /** The id of the owner. Other people who use this browser neither see nor resume the upload. */
  ownerId: z.string(),
  /** The id of the drop. All files that were added at once share it. */
  batch: z.string(),
  path: z.enum(uploadPaths),
  /** The cleaned name of the file. */
  fileName: z.string(),
  fileSize: byteCount,
  fileType: z.string(),
  identity: fileIdentity,
  /** True for pasted content: no file on a disk could be chosen again. */
  pasted: z.boolean(),
  expirationDays: z.literal(expirationDays),
  ticket: ticketSchema.nullable(),
  /**
   * True after the upload was started again with a fresh ticket. This happens once within one try.
   */
  restarted: z.boolean(),
  /** When the first byte was about to be sent; null before. */
  uploadStartTime: moment.nullable(),
  /** In percent. */
  progress: z.int().min(0).max(100),
  uploadedBytes: byteCount,
  /** The status of spec §3, upload-tracking record. */
  status: z.enum(['pending', 'uploading', 'paused', 'completed', 'failed']),
  /** What a paused upload needs before it can go on; null when it goes on by itself. */
  need: z.enum(['file', 'permission', 'sign-in']).nullable(),
  lastActivity: moment,
  /** The reason of a failure, as a person reads it. */
  error: z.string().nullable(),
})
export type UploadRecord = z.infer<typeof uploadRecord>
export type UploadStatus = UploadRecord['status']
export type UploadNeed = UploadRecord['need']

/** Reads a record from its JSON. Returns null for JSON that no version of this program wrote. */
export function parseRecord(json: string): UploadRecord | null {
  try {
    return uploadRecord.safeParse(JSON.parse(json)).data ?? null
  } catch {
    return null
  }
}
