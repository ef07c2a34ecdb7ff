import type { File as StoredFile } from '../../../shared/contract/files.ts'
import type { UploadRecord, UploadTicket } from '../records/upload-record.ts'
import type { Refusal } from '../upload-errors.ts'
import type { Notice } from '../upload-notices.ts'
import type { StoredPart, TransferFault } from '../upload-ports.ts'

/**
 * Where the bytes of an upload are: at hand, to be had by a person's help, nowhere any more, or all in
 * storage, so that nobody needs them here.
 */
export type DataState = 'ready' | 'file' | 'permission' | 'gone' | 'stored'

/**
 * Why a confirmation is asked for: storage has got all bytes; its answer may have been lost; or, without
 * the file at hand, either of these may be so.
 */
export type ConfirmStage = 'confirm' | 'confirm-lost' | 'confirm-without-file'

/** The calls that can be refused. */
export type CallStage = 'start' | 'resume' | ConfirmStage

export type UploadEvent =
  /** Its turn has come; without its file, only a confirmation can come of it. */
  | { type: 'run'; hasFile: boolean }
  | { type: 'ticket'; ticket: UploadTicket }
  /** Storage holds these parts. */
  | { type: 'held'; parts: readonly StoredPart[] }
  | { type: 'progress'; bytes: number }
  /** Storage has all bytes. */
  | { type: 'sent' }
  | { type: 'confirmed'; file: StoredFile }
  | { type: 'refused'; stage: CallStage; refusal: Refusal }
  | { type: 'transfer-failed'; kind: TransferFault; status: number | null }
  /** The sampled hash of its file is reckoned: a file that is given again is compared with it. */
  | { type: 'identified'; sample: string }
  /** A person or the clock wants it to go on, and this is where its bytes are. */
  | { type: 'resume'; data: DataState }
  /** Nothing runs it any more: its page was loaded anew, or the engine closes. */
  | { type: 'halt' }
  /** The session is over, as another upload found out. */
  | { type: 'signed-out' }
  /** Another upload was refused for a reason that holds for this one too. */
  | { type: 'stopped'; reason: string }
  | { type: 'cancel' }
  /** That it was cancelled has been shown for long enough. */
  | { type: 'forget' }
  /** A person removes what is over. */
  | { type: 'clear' }
  /** Time has passed: it may be old enough to be removed. */
  | { type: 'tick' }

/** What has to be done in the world outside; done in this order. */
export type UploadEffect =
  | { type: 'save' }
  | { type: 'remove' }
  /** It waits for its turn. */
  | { type: 'enqueue' }
  /** Ends whatever is under way for it, and its turn. */
  | { type: 'end-turn' }
  /** `instead`: the key of an upload to abort before. */
  | { type: 'get-ticket'; instead: string | null }
  /** Asks which parts storage holds. */
  | { type: 'list-parts'; ticket: UploadTicket }
  /** `held` and `resumed` as a `TransferJob` has them. */
  | {
      type: 'transfer'
      ticket: UploadTicket
      held: readonly StoredPart[]
      resumed: boolean
    }
  | { type: 'confirm'; ticket: UploadTicket; stage: ConfirmStage }
  /** Frees its place. */
  | { type: 'abort-on-server'; cloudKey: string }
  /** It was cancelled: after two seconds the record goes. */
  | { type: 'forget-soon' }
  /** Its bytes are needed no more. */
  | { type: 'release-data' }
  | { type: 'tell'; notice: Notice }
  | { type: 'refresh-list'; file: StoredFile }
  /** Those that wait for their turn would fail for the same reason: they do at once. */
  | { type: 'stop-the-rest'; reason: string }
  /** Those that wait for their turn pause too. */
  | { type: 'ask-to-sign-in' }

/** What an event leads to; the record is null when it is removed. */
export interface Step {
  record: UploadRecord | null
  effects: UploadEffect[]
}
