import type { CallAnswer } from '../api/call.ts'
import type { Interruption } from './interruption.ts'
import type { UploadTicket } from './records/upload-record.ts'

/** A part that storage holds completely. */
export type StoredPart = CallAnswer<'listParts'>['parts'][number]

/** The bytes of one upload, and where they are sent. */
export interface TransferJob {
  file: Blob
  ticket: UploadTicket
  /** The media type that the presigned URLs were signed for. */
  contentType: string
  /** The parts that storage holds already. Those equal to the file's bytes are not sent again. */
  held: readonly StoredPart[]
  /** True if the file still has the date that it had when its upload began. */
  hasFirstDate: boolean
  /**
   * True when an earlier try may have stored bytes. Storage is then asked how much of a file of one
   * part it has, since `held` lists only complete parts.
   */
  resumed: boolean
  /** Fresh presigned URLs that came with the ticket, by part number. Empty for an older ticket. */
  partUrls: Readonly<Record<string, string>>
  signal: AbortSignal
  /**
   * Called with the number of bytes that were sent or are stored. The number falls when a try was
   * lost.
   */
  onProgress: (bytes: number) => void
  /** Called when a try was lost and the next one waits. The next progress ends the interruption. */
  onInterrupted: (why: Interruption) => void
}

/**
 * Why a transfer was given up. `status`: storage gave an answer that no further try changes.
 * `network` and `timeout`: no try succeeded although the server was there. `unreadable`: the file
 * was changed or removed on disk. `signed-out`: the server answered 401 to a call for presigned
 * URLs. `gone`: the server knows no such upload.
 */
export type TransferFault = 'status' | 'network' | 'timeout' | 'unreadable' | 'signed-out' | 'gone'

/** A transfer was given up. Its bytes in storage stay for another try. */
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
 * Sends the bytes of a job to storage, despite time-outs, lost connections and expired signatures.
 * @throws {TransferFailed} when it is given up
 * @throws the reason of the signal when it fires
 */
export type SendFile = (job: TransferJob) => Promise<void>

/**
 * Keeps the handles of files over a reload, by record id. Its methods never reject: where the
 * browser keeps no handles, `get` finds none.
 */
export interface HandleStore {
  save(recordId: string, handle: FileSystemFileHandle): Promise<void>
  get(recordId: string): Promise<FileSystemFileHandle | undefined>
  remove(recordId: string): Promise<void>
}

/**
 * Takes part in the election of the tab that runs the uploads. `onLead` is called when this tab
 * becomes the leader, `onFollow` when another tab does. Where the browser has no Web Locks, every
 * tab leads.
 */
export type ElectLeader = (onLead: () => void, onFollow: () => void) => Election

/** The election from the view of one tab. */
export interface Election {
  /** Makes this tab the leader, because the leader does not answer. */
  takeOver(): void
}

/** Messages between the tabs of this browser. A tab never hears its own. */
export interface TabChannel<Message> {
  post(message: Message): void
  close(): void
}
export type OpenChannel<Message> = (onMessage: (message: Message) => void) => TabChannel<Message>
