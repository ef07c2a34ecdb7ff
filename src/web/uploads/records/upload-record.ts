import { z } from 'zod'
import { uploads } from '../../../shared/contract/uploads.ts'
import { expirationDays } from '../../../shared/rules/lifetime.ts'
import { uploadPaths } from '../../../shared/rules/upload-path.ts'

/** Milliseconds since 1970. */
const moment = z.number()
const byteCount = z.int().nonnegative()

const { parts, ...started } = uploads.getUploadUrl.response.shape

/**
 * Where the bytes of an upload go: what get-upload-url answered, but for the URLs of parts. Those run
 * out within the hour, and whoever has one can write, so no record keeps them.
 */
const ticketSchema = z.object({
  ...started,
  /** It goes back to the server as it came. The browser itself needs only the media type. */
  metadata: z.looseObject({ mimeType: z.string() }),
  /** Absent where the file goes in one PUT. */
  parts: parts.unwrap().omit({ urls: true }).optional(),
  /** Tickets of older versions do not say it. */
  computesSha256: started.computesSha256.optional(),
})
export type UploadTicket = z.infer<typeof ticketSchema>

/** How a file is recognised when it is chosen again. */
const fileIdentity = z.object({
  /** As the system has it, not cleaned. */
  name: z.string(),
  size: byteCount,
  lastModified: moment,
  /** A hash over samples of its bytes; null until it is computed. */
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
  /** Other people who use this browser neither see nor resume it. */
  ownerId: z.string(),
  /** The files of one drop share it. */
  batch: z.string(),
  path: z.enum(uploadPaths),
  /** The cleaned name. */
  fileName: z.string(),
  fileSize: byteCount,
  fileType: z.string(),
  identity: fileIdentity,
  /** True for what was pasted: no file on a disk could be chosen again. */
  pasted: z.boolean(),
  expirationDays: z.literal(expirationDays),
  ticket: ticketSchema.nullable(),
  /** True once it was begun anew with a fresh ticket. Within one try that happens once. */
  restarted: z.boolean(),
  /** When the first byte was about to leave; null before. */
  uploadStartTime: moment.nullable(),
  /** Percent. */
  progress: z.int().min(0).max(100),
  uploadedBytes: byteCount,
  /** Spec §3, upload-tracking record. */
  status: z.enum(['pending', 'uploading', 'paused', 'completed', 'failed']),
  /** What has to happen before a paused upload can go on; null when it goes on by itself. */
  need: z.enum(['file', 'permission', 'sign-in']).nullable(),
  lastActivity: moment,
  /** Why it failed, as a person reads it. */
  error: z.string().nullable(),
})
export type UploadRecord = z.infer<typeof uploadRecord>
export type UploadStatus = UploadRecord['status']
export type UploadNeed = UploadRecord['need']

/** Reads a record from its JSON; null for anything that no version of this program wrote. */
export function parseRecord(json: string): UploadRecord | null {
  try {
    return uploadRecord.safeParse(JSON.parse(json)).data ?? null
  } catch {
    return null
  }
}
