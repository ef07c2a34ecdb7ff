import type { CallAnswer } from '../api/call.ts'
import type { Interruption } from './interruption.ts'
import type { UploadTicket } from './records/upload-record.ts'

/** A part that storage holds whole. */
export type StoredPart = CallAnswer<'listParts'>['parts'][number]

/** The bytes of one upload, and where they go. */
export interface TransferJob {
  file: Blob
  ticket: UploadTicket
  /** The media type that the presigned URLs were signed for. */
  contentType: string
  /** Parts that storage holds already; those that are the file's own are not sent again. */
  held: readonly StoredPart[]
  /** True while the file has the date that it had when its upload began. */
  hasFirstDate: boolean
  /**
   * True when an earlier try may have stored bytes. A file of one part is then asked after before
   * anything is sent; `held` cannot tell of half a part.
   */
  resumed: boolean
  /** Presigned URLs of parts that have just come with the ticket, by part number; mostly none. */
  partUrls: Readonly<Record<string, string>>
  signal: AbortSignal
  /** Told how many bytes of the file are on their way or there; may fall back when a try was lost. */
  onProgress: (bytes: number) => void
  /** Told when a try was lost and the next one waits; progress ends it. */
  onInterrupted: (why: Interruption) => void
}

/**
 * Why a transfer was given up: `status`, storage answered what no further try cures; `network` and
 * `timeout`, no try came through although the server was there; `unreadable`, the file was changed or
 * removed on disk; `signed-out`, the server answered 401 to a call for presigned URLs; `gone`, it
 * answered that it knows no such upload.
 */
export type TransferFault = 'status' | 'network' | 'timeout' | 'unreadable' | 'signed-out' | 'gone'

/** The bytes could not be stored. What they hold in storage stays there for another try. */
export class TransferFailed extends Error {
  override readonly name = 'TransferFailed'
  readonly kind: TransferFault
  /** What was answered last; null when nothing was. */
  readonly status: number | null

  constructor(kind: TransferFault, status: number | null = null) {
    super(status === null ? kind : `${kind} ${status}`)
    this.kind = kind
    this.status = status
  }
}

/**
 * Puts the bytes of a job into storage, over time-outs, lost connections and lapsed signatures.
 * @throws {TransferFailed} when it is given up
 * @throws the reason of the signal when that fires
 */
export type SendFile = (job: TransferJob) => Promise<void>

/** Keeps the handles of files over a reload, by record id. Nothing here rejects: where the browser keeps none, nothing is found. */
export interface HandleStore {
  save(recordId: string, handle: FileSystemFileHandle): Promise<void>
  get(recordId: string): Promise<FileSystemFileHandle | undefined>
  remove(recordId: string): Promise<void>
}

/**
 * Takes part in the election of the one tab that runs the uploads. `onFollow` is called whenever
 * another tab leads, `onLead` when this one does: until it goes, or another takes over because this one
 * did not answer. A browser without Web Locks leads in every tab.
 */
export type ElectLeader = (onLead: () => void, onFollow: () => void) => Election

/** The election, as one tab takes part in it. */
export interface Election {
  /** The leader does not answer: this tab leads from now on. */
  takeOver(): void
}

/** Messages between the tabs of this browser; a tab never hears itself. */
export interface TabChannel<Message> {
  post(message: Message): void
  close(): void
}
export type OpenChannel<Message> = (onMessage: (message: Message) => void) => TabChannel<Message>
