import { z } from 'zod'
import { linkOptionsSchema } from '../../../shared/contract/links.ts'
import { uploads } from '../../../shared/contract/uploads.ts'
import { uploadPaths } from '../../../shared/rules/files/upload-path.ts'
import type { CallResponse } from '../../api/call.ts'

/** Epoch milliseconds. */
const timestampSchema = z.number()
const byteCountSchema = z.int().nonnegative()

/** The server's response to the start of an upload. Senders get a token in place of the code. */
export type StartedUpload = Omit<CallResponse<'POST /api/files/get-upload-url'>, 'shortCode'> &
  Pick<UploadTicket, 'shortCode' | 'uploadToken'>

const { parts, ...ticketShape } = uploads.getUploadUrl.response.shape

/**
 * Where to send an upload's bytes: the get-upload-url response without the part URLs. The URLs
 * aren't saved, because they expire within an hour and grant write access to anyone who has them.
 */
const ticketSchema = z.object({
  ...ticketShape,
  /** Sent back to the server unchanged. The browser needs only the media type. */
  metadata: z.looseObject({ mimeType: z.string() }),
  /** Absent if the file is sent in a single PUT. */
  parts: parts.unwrap().omit({ urls: true }).optional(),
  /** Authorizes the calls for an upload to a request. Absent from all other uploads. */
  uploadToken: z.string().optional(),
  /** Absent from uploads to a request. */
  shortCode: ticketShape.shortCode.optional(),
  /** Absent from records written by older versions. */
  store: ticketShape.store.optional(),
  computesSha256: ticketShape.computesSha256.optional(),
})
export type UploadTicket = z.infer<typeof ticketSchema>

/** Identifies a file when the user chooses it again. */
const fileIdentitySchema = z.object({
  /** The name on disk, before sanitizing. */
  name: z.string(),
  size: byteCountSchema,
  lastModified: timestampSchema,
})
export type FileIdentity = z.infer<typeof fileIdentitySchema>

/**
 * The link that an upload shares with others: its options or, once it exists, its code. A delivery
 * to a request has a token instead of a code, and keeps its options.
 */
const recordLinkSchema = linkOptionsSchema.extend({
  shortCode: z.string().optional(),
  senderName: z.string().optional(),
  uploadToken: z.string().optional(),
})
export type RecordLink = z.infer<typeof recordLinkSchema>

/**
 * An upload as saved in localStorage (spec §3). New fields must be optional to keep older versions'
 * records readable.
 */
const uploadRecordSchema = z.object({
  /** IDs sort in the order the uploads were added. */
  id: z.string(),
  /**
   * The ID of the user who owns the upload, or the path of the request that it is sent to. Only
   * that user, or the request's page, can see and resume it.
   */
  ownerId: z.string(),
  /** The drop's ID, shared by all files added together. */
  batch: z.string(),
  path: z.enum(uploadPaths),
  /** The file name after `cleanFileName`, as shown in the list. */
  fileName: z.string(),
  fileSize: byteCountSchema,
  fileType: z.string(),
  identity: fileIdentitySchema,
  /**
   * True for pasted text and pictures that aren't files on disk, so the user can't choose them
   * again.
   */
  pasted: z.boolean(),
  expirationDays: z.int().positive(),
  /** Absent if the file gets its own link. */
  link: recordLinkSchema.optional(),
  ticket: ticketSchema.nullable(),
  /**
   * True after an automatic repair, which is needed if the server doesn't know the upload, lacks
   * some of its bytes or has different ones, or if the presigned URL has expired. Only one repair
   * is attempted. Resuming after a pause or failure allows another one.
   */
  restarted: z.boolean(),
  /** When the transfer started; null before that. */
  uploadStartTime: timestampSchema.nullable(),
  /** In percent. */
  progress: z.int().min(0).max(100),
  uploadedBytes: byteCountSchema,
  /** The upload status, as defined in spec §3. */
  status: z.enum(['pending', 'uploading', 'paused', 'completed', 'failed']),
  /**
   * The action that the user must take before a paused upload can resume or a failed one can be
   * retried. If null, a paused upload resumes automatically.
   */
  need: z.enum(['file', 'permission', 'sign-in']).nullable(),
  lastActivity: timestampSchema,
  /** The error text shown to the user; null unless the upload failed. */
  error: z.string().nullable(),
  /** The failure's error code, or null. Absent from records written by older versions. */
  code: z.string().nullable().optional(),
})
export type UploadRecord = z.infer<typeof uploadRecordSchema>
export type UploadStatus = UploadRecord['status']
export type UploadNeed = UploadRecord['need']

/** Parses a record from JSON. Returns null if it isn't a valid record of any version. */
export function parseRecord(json: string): UploadRecord | null {
  try {
    return uploadRecordSchema.safeParse(JSON.parse(json)).data ?? null
  } catch {
    return null
  }
}
