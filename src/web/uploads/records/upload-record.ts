import { z } from 'zod'
import { uploads } from '../../../shared/contract/uploads.ts'
import { uploadPaths } from '../../../shared/rules/files/upload-path.ts'
import { dayInMs } from '../../../shared/rules/format/units.ts'

/** Milliseconds since 1970. */
const moment = z.number()
const byteCount = z.int().nonnegative()

const { parts, ...started } = uploads.getUploadUrl.response.shape

/**
 * Where to send the bytes of an upload: the answer of get-upload-url without the URLs of parts.
 * Those URLs expire within the hour, and anyone who has one can write. So no record keeps them.
 */
const ticketSchema = z.object({
  ...started,
  /**
   * Metadata that goes back to the server unchanged. The browser itself needs only the media type.
   */
  metadata: z.looseObject({ mimeType: z.string() }),
  /** Absent where the file is sent in one PUT. */
  parts: parts.unwrap().omit({ urls: true }).optional(),
  /** Absent in records of an older version of this program. */
  store: started.store.optional(),
  /** Absent in records of an older version of this program. */
  computesSha256: started.computesSha256.optional(),
})
export type UploadTicket = z.infer<typeof ticketSchema>

/** The facts by which a file is recognised when a person chooses it again. */
const fileIdentity = z.object({
  /** The file's name on the disk, before any cleaning. */
  name: z.string(),
  size: byteCount,
  lastModified: moment,
})
export type FileIdentity = z.infer<typeof fileIdentity>

/**
 * An upload as localStorage keeps it (spec §3). This schema also reads records of older versions,
 * so a field that is added to it must be optional.
 */
const uploadRecord = z.object({
  /** Sorting by id gives the order in which the uploads were added. */
  id: z.string(),
  /**
   * The id of the upload's owner. Other users of this browser neither see nor resume the upload.
   */
  ownerId: z.string(),
  /** The id of the drop. All files that a person added together have the same one. */
  batch: z.string(),
  path: z.enum(uploadPaths),
  /** The file's name after `cleanFileName`, as the list shows it. */
  fileName: z.string(),
  fileSize: byteCount,
  fileType: z.string(),
  identity: fileIdentity,
  /**
   * True for pasted text and for a pasted picture that is no file on a disk. A person cannot choose
   * these again.
   */
  pasted: z.boolean(),
  expirationDays: z.int().positive(),
  ticket: ticketSchema.nullable(),
  /**
   * True after the upload was repaired without a person: the server no longer knew it, lacked some
   * of its bytes or had different bytes, or the presigned URL had expired. This is done only once.
   * When the upload is resumed after a pause or a failure, the field becomes false again.
   */
  restarted: z.boolean(),
  /** When the transfer of the bytes began; null before it. */
  uploadStartTime: moment.nullable(),
  /** In percent. */
  progress: z.int().min(0).max(100),
  uploadedBytes: byteCount,
  /** The upload status of spec §3. */
  status: z.enum(['pending', 'uploading', 'paused', 'completed', 'failed']),
  /**
   * What a person must give a paused upload before it can resume; null when it resumes without a
   * person. For a failed upload, what a person must give before it can be tried again.
   */
  need: z.enum(['file', 'permission', 'sign-in']).nullable(),
  lastActivity: moment,
  /** Why the upload failed, as a person reads it; null while it has not failed. */
  error: z.string().nullable(),
  /**
   * The error code of the failure; null if the upload has not failed, or failed without a code.
   * Absent in records of an older version of this program.
   */
  code: z.string().nullable().optional(),
})
export type UploadRecord = z.infer<typeof uploadRecord>
export type UploadStatus = UploadRecord['status']
export type UploadNeed = UploadRecord['need']

/**
 * True when an upload has completed or failed. A failed upload is tried again only if a person asks
 * for it.
 */
export function isOver({ status }: Pick<UploadRecord, 'status'>): boolean {
  return status === 'completed' || status === 'failed'
}

/**
 * True when a record is to be removed. Spec §4: completed or failed records older than 24 hours are
 * removed. `now` is milliseconds since 1970.
 */
export function isForgotten(
  record: Pick<UploadRecord, 'status' | 'lastActivity'>,
  now: number,
): boolean {
  return isOver(record) && now - record.lastActivity > dayInMs
}

/**
 * Reads a record from its JSON. Returns null for JSON that is not a record of any version of this
 * program.
 */
export function parseRecord(json: string): UploadRecord | null {
  try {
    return uploadRecord.safeParse(JSON.parse(json)).data ?? null
  } catch {
    return null
  }
}
