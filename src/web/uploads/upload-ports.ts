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
  /** Parts that storage holds already. Those that have the file's bytes are not sent again. */
  held: readonly StoredPart[]
  /** True while the file has the date that it had when its upload began. */
  hasFirstDate: boolean
  /**
   * True when an earlier try may have stored bytes. Storage is then asked how much of a file of one part it
   * has, since `held` lists only whole parts.
   */
  resumed: boolean
  /** Presigned URLs that came with the ticket just now, by part number. Empty where it is older. */
  partUrls: Readonly<Record<string, string>>
  signal: AbortSignal
  /** Told how many bytes of the file are on their way or stored. Fewer than before where a try was lost. */
  onProgress: (bytes: number) => void
  /** Told when a try was lost and the next one waits. The next progress ends that. */
  onInterrupted: (why: Interruption) => void
}

/**
 * Why a transfer was given up. `status`: storage gave an answer that no further try cures. `network` and
 * `timeout`: no try came through although the server was there. `unreadable`: the file was changed or
 * removed on disk. `signed-out`: the server answered 401 to a call for presigned URLs. `gone`: the server
 * knows no such upload.
 */
export type TransferFault = 'status' | 'network' | 'timeout' | 'unreadable' | 'signed-out' | 'gone'

/** A transfer was given up. What storage holds of it stays there for another try. */
export class TransferFailed extends Error {
  override readonly name = 'TransferFailed'
  readonly kind: TransferFault
  /** The status of the last answer; null where none came. */
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

/** Keeps the handles of files over a reload, by record id. None of it rejects: where the browser keeps none, none is found. */
export interface HandleStore {
  save(recordId: string, handle: FileSystemFileHandle): Promise<void>
  get(recordId: string): Promise<FileSystemFileHandle | undefined>
  remove(recordId: string): Promise<void>
}

/**
 * Takes part in the election of the tab that runs the uploads. `onLead` is called when this tab leads from
 * now on, `onFollow` when another one does. Where the browser has no Web Locks every tab leads.
 */
export type ElectLeader = (onLead: () => void, onFollow: () => void) => Election

/** The election, as one tab takes part in it. */
export interface Election {
  /** The leader does not answer: this tab leads from now on. */
  takeOver(): void
}

/** Messages between the tabs of this browser. A tab never hears its own. */
export interface TabChannel<Message> {
  post(message: Message): void
  close(): void
}
export type OpenChannel<Message> = (onMessage: (message: Message) => void) => TabChannel<Message>
