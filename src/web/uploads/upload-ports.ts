import type { CallResponse } from '../api/call.ts'
import type { Interruption } from './interruption.ts'
import type { UploadTicket } from './records/upload-record.ts'

/** A part that the server has completely stored. */
export type StoredPart = CallResponse<'GET /api/files/upload-parts'>['parts'][number]

/** One upload's bytes and where to send them. */
export interface TransferJob {
  file: Blob
  ticket: UploadTicket
  /** The media type for which the URLs were presigned. */
  contentType: string
  /** Parts that the server has already stored. A part that matches the file is not resent. */
  storedParts: readonly StoredPart[]
  /** True if the file's modification date is the same as when its upload started. */
  hasOriginalDate: boolean
  /**
   * True if an earlier attempt may have stored bytes. For a single-part file the sender then asks
   * the server for the offset, because `storedParts` lists only complete parts.
   */
  isResumed: boolean
  signal: AbortSignal
  /** Called with the number of bytes sent or stored. The number falls when sent bytes are lost. */
  onProgress: (bytes: number) => void
  /**
   * Called when an attempt has failed and another one will follow. The next `onProgress` call ends
   * the interruption.
   */
  onInterrupted: (interruption: Interruption) => void
}

/**
 * Why a transfer failed permanently.
 * - `status`: storage responded with a permanent error, or with an error to every attempt. Also
 *   used for unexpected errors in our code, which have no status.
 * - `network` and `timeout`: no attempt succeeded, although the server was reachable.
 * - `unreadable`: the file was changed or removed on disk.
 * - `changed`: storage has parts of another version of the file.
 * - `signed-out`: the server responded with 401 to a request for presigned URLs or stored parts.
 * - `gone`: the server doesn't know the upload.
 * - `disk-full`: the server couldn't write, although it reports that it is ready.
 */
export type TransferErrorKind =
  | 'status'
  | 'network'
  | 'timeout'
  | 'unreadable'
  | 'changed'
  | 'signed-out'
  | 'gone'
  | 'disk-full'

/** A transfer that failed permanently. The server keeps the stored bytes for a later attempt. */
export class TransferError extends Error {
  readonly kind: TransferErrorKind
  /** The last response's status; null if there was none. */
  readonly status: number | null

  constructor(kind: TransferErrorKind, status: number | null = null) {
    super(status === null ? kind : `${kind} ${status}`)
    this.kind = kind
    this.status = status
  }
}

/**
 * Sends a job's bytes to storage. Retries after timeouts, lost connections and expired signatures.
 * @throws {TransferError} when no further attempt is made.
 * @throws the signal's reason when aborted.
 */
export type SendFile = (job: TransferJob) => Promise<void>
