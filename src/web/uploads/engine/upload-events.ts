import type { File as StoredFile } from '../../../shared/contract/files.ts'
import type { UploadRecord, UploadTicket } from '../records/upload-record.ts'
import type { Refusal } from '../upload-errors.ts'
import type { Notice } from '../upload-notices.ts'
import type { StoredPart, TransferFault } from '../upload-ports.ts'

/**
 * Where the bytes of an upload are. `ready`: this tab has them. `file`: a person has to choose the file
 * again. `permission`: a person has to allow the browser to read it again. `gone`: nobody has them any
 * more. `stored`: storage has all of them, and nobody needs them here.
 */
export type DataState = 'ready' | 'file' | 'permission' | 'gone' | 'stored'

/**
 * Why a confirmation is asked for. `confirm`: storage has got all bytes. `confirm-lost`: the answer to
 * an earlier one may have been lost. `confirm-without-file`: either may be so, and the file is not here.
 */
export type ConfirmStage = 'confirm' | 'confirm-lost' | 'confirm-without-file'

/** The calls that can be refused. */
export type CallStage = 'start' | 'resume' | ConfirmStage

export type UploadEvent =
  /** Its turn has come. Without its file it can only be confirmed. */
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
  /** The hash over samples of its file is computed: by it the file is recognised when it comes again. */
  | { type: 'identified'; sample: string }
  /** It is to go on, and this is where its bytes are. */
  | { type: 'resume'; data: DataState }
  /** Nothing runs it any more: its page was loaded again, or the engine closes. */
  | { type: 'halt' }
  /** Another upload found out that the session is over. */
  | { type: 'signed-out' }
  /** Another upload was refused for a reason that holds for this one as well. */
  | { type: 'stopped'; reason: string }
  | { type: 'cancel' }
  /** It has shown for long enough that it was cancelled. */
  | { type: 'forget' }
  /** A person removes what is completed or failed. */
  | { type: 'clear' }
  /** Time has passed, and it may be old enough to be removed. */
  | { type: 'tick' }

/** What the turn of an upload does next. A transition has one of them at most. */
export type RunStep =
  /** Asks the server to start it. `instead`: the key of an upload to abort before that. */
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

const runSteps: readonly UploadEffect['type'][] = [
  'get-ticket',
  'list-parts',
  'transfer',
  'confirm',
]

export function isRunStep(effect: UploadEffect): effect is RunStep {
  return runSteps.includes(effect.type)
}

/** What has to be done outside the machine. Effects of one event are done in their order. */
export type UploadEffect =
  | RunStep
  | { type: 'save' }
  | { type: 'remove' }
  /** It waits for its turn. */
  | { type: 'enqueue' }
  /** Ends its turn, and whatever is under way for it. */
  | { type: 'end-turn' }
  /** Frees its place. */
  | { type: 'abort-on-server'; cloudKey: string }
  /** It was cancelled: two seconds later its record goes. */
  | { type: 'forget-soon' }
  /** Nobody needs its bytes here any more. */
  | { type: 'release-data' }
  | { type: 'tell'; notice: Notice }
  /** The list of files has a new one. */
  | { type: 'refresh-list'; file: StoredFile }
  /** Fails those that wait for their turn: the server would refuse them for the same reason. */
  | { type: 'stop-the-rest'; reason: string }
  /** Pauses those that wait for their turn, and tells a person. */
  | { type: 'ask-to-sign-in' }

/** What an event leads to. The record is null when it is removed. */
export interface Transition {
  record: UploadRecord | null
  effects: UploadEffect[]
}
