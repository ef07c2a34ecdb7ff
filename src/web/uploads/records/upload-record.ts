import type { ExpirationDays } from '../../../shared/rules/lifetime.ts'
import type { UploadPath } from '../../../shared/rules/upload-path.ts'

/** Spec §3, upload-tracking record. */
export type UploadStatus = 'pending' | 'uploading' | 'paused' | 'completed' | 'failed'

/** What has to happen before a paused upload can go on; null when it goes on by itself. */
export type UploadNeed = 'file' | 'permission' | 'sign-in' | null

/**
 * Where the bytes go: what get-upload-url answered, but for the URLs of parts. Those run out within the
 * hour, and whoever has one can write: no record keeps them.
 */
export interface UploadTicket {
  uploadUrl: string
  cloudKey: string
  metadata: { mimeType: string } & Record<string, unknown>
  /** Bytes of each part but the last, and how many; absent where the file goes in one PUT. */
  parts?: { size: number; count: number } | undefined
  checksum: 'crc32' | 'md5'
}

/** What one file is recognised by when it is chosen again. */
export interface FileIdentity {
  /** As the system has it, not cleaned. */
  name: string
  /** Bytes. */
  size: number
  /** Milliseconds since 1970. */
  lastModified: number
  /** A hash over samples of its bytes; null until it was reckoned. */
  sample: string | null
}

/** An upload as the browser's storage keeps it (spec §3). Times are milliseconds since 1970. */
export interface UploadRecord {
  /** Ids sort by the order in which the uploads were added. */
  id: string
  /** Whose it is: other people who use this browser neither see nor resume it. */
  ownerId: string
  /** The files of one drop share it. */
  batch: string
  path: UploadPath
  /** The cleaned name. */
  fileName: string
  /** Bytes. */
  fileSize: number
  fileType: string
  identity: FileIdentity
  /** True for what was pasted: no file on a disk could be chosen again. */
  pasted: boolean
  expirationDays: ExpirationDays
  ticket: UploadTicket | null
  /** It was begun anew with a fresh ticket; within one try that happens once. */
  restarted: boolean
  /** When the first byte was about to leave; null before. */
  uploadStartTime: number | null
  /** Percent, 0 to 100. */
  progress: number
  uploadedBytes: number
  status: UploadStatus
  need: UploadNeed
  lastActivity: number
  /** Why it failed, as a person reads it. */
  error: string | null
}
