import type { CallAnswer } from '../api/call.ts'
import type { Interruption } from './interruption.ts'
import type { UploadTicket } from './records/upload-record.ts'

/** A part of a file that the server has stored completely. */
export type StoredPart = CallAnswer<'listParts'>['parts'][number]

/** Presigned URLs of the parts of a file, by part number. */
export type UrlsOfParts = NonNullable<CallAnswer<'getUploadUrl'>['parts']>['urls']

/** The bytes of one upload, and where to send them. */
export interface TransferJob {
  file: Blob
  ticket: UploadTicket
  /** The media type for which the presigned URLs were signed. */
  contentType: string
  /**
   * The parts that the server has stored already. A part that equals the file's bytes is not sent
   * again.
   */
  held: readonly StoredPart[]
  /** True if the file's date of change is still the one that it had when its upload began. */
  hasFirstDate: boolean
  /**
   * True when an earlier attempt may have stored bytes. For a file of one part, the sender then
   * asks the server how many bytes it has, because `held` lists only complete parts.
   */
  resumed: boolean
  /**
   * The presigned URLs that get-upload-url answered for this transfer, by part number. Empty unless
   * get-upload-url was called immediately before this transfer.
   */
  partUrls: Readonly<UrlsOfParts>
  signal: AbortSignal
  /**
   * Called with the number of bytes that were sent or are stored. The number falls when sent bytes
   * were lost.
   */
  onProgress: (bytes: number) => void
  /**
   * Called when an attempt failed and the next one waits. The interruption ends with the next call
   * of `onProgress`.
   */
  onInterrupted: (why: Interruption) => void
}

/**
 * Why a transfer failed and is not repeated.
 * - `status`: storage answered with an error that another attempt would not change, or that came
 *   in every attempt. Also an unexpected error of this program, without a status.
 * - `network` and `timeout`: no attempt succeeded, although the server could be reached.
 * - `unreadable`: the file was changed or removed on disk.
 * - `changed`: storage has parts of another version of the file.
 * - `signed-out`: the server answered 401 to a call for presigned URLs or for the stored parts.
 * - `gone`: the server knows no such upload.
 * - `disk-full`: the server could not write, although it says that it is ready.
 */
export type TransferFault =
  | 'status'
  | 'network'
  | 'timeout'
  | 'unreadable'
  | 'changed'
  | 'signed-out'
  | 'gone'
  | 'disk-full'

/**
 * A transfer failed and is not repeated. The server keeps the bytes that it stored, so that a later
 * attempt can continue.
 */
export class TransferFailed extends Error {
  override readonly name = 'TransferFailed'
  readonly kind: TransferFault
  /** The status of the last answer; null when no answer came. */
  readonly status: number | null

  constructor(kind: TransferFault, status: number | null = null) {
    super(status === null ? kind : `${kind} ${status}`)
    this.kind = kind
    this.status = status
  }
}

/**
 * Sends the bytes of a job to storage. Repeats requests after time-outs, lost connections and
 * expired signatures.
 * @throws {TransferFailed} when no further attempt is made
 * @throws the reason of the signal when the signal is aborted
 */
export type SendFile = (job: TransferJob) => Promise<void>
