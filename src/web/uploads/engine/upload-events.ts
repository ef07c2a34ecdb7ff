import type { File as StoredFile } from '../../../shared/contract/files.ts'
import type { UploadRecord, UploadTicket } from '../records/upload-record.ts'
import type { Refusal } from '../upload-errors.ts'
import type { Notice } from '../upload-notices.ts'
import type { StoredPart, TransferFault } from '../upload-ports.ts'

/**
 * Where the bytes of an upload are. `ready`: this tab has them. `file`: a person has to choose the
 * file again. `permission`: a person has to allow the browser to read the file again. `gone`: the
 * bytes are lost. `stored`: storage has all bytes, so the file is not needed.
 */
export type DataState = 'ready' | 'file' | 'permission' | 'gone' | 'stored'

/**
 * Why the upload asks for a confirmation. `confirm`: storage has all bytes. `confirm-lost`: the
 * answer to an earlier confirmation may have been lost. `confirm-without-file`: one of these two
 * may be true, and this tab does not have the file.
 */
export type ConfirmStage = 'confirm' | 'confirm-lost' | 'confirm-without-file'

/** The calls that can be refused. */
export type CallStage = 'start' | 'resume' | ConfirmStage

export type UploadEvent =
  /** The turn of the upload has come. Without its file the upload can only be confirmed. */
  | { type: 'turn-began'; hasFile: boolean }
  | { type: 'ticket'; ticket: UploadTicket }
  /** Storage holds these parts. */
  | { type: 'held'; parts: readonly StoredPart[] }
  | { type: 'progress'; bytes: number }
  /** Storage has all bytes. */
  | { type: 'sent' }
  | { type: 'confirmed'; file: StoredFile }
  | { type: 'refused'; stage: CallStage; refusal: Refusal }
  | { type: 'transfer-failed'; kind: TransferFault; status: number | null }
  /**
   * The hash over samples of the file is computed. It recognises the file when it is chosen again.
   */
  | { type: 'identified'; sample: string }
  /** The upload is to go on. `data` says where its bytes are. */
  | { type: 'resume'; data: DataState }
  /** No engine runs the upload any more: its page was loaded again, or the engine closes. */
  | { type: 'halt' }
  /** A call of another upload showed that the session is over. */
  | { type: 'signed-out' }
  /** Another upload was refused for a reason that applies to this one too. */
  | { type: 'stopped'; reason: string }
  | { type: 'cancel' }
  /** The upload has shown for long enough that it was cancelled. */
  | { type: 'forget' }
  /** A person removes completed and failed uploads. */
  | { type: 'clear' }
  /** Time has passed. The upload may be old enough to be removed. */
  | { type: 'tick' }

/** The next step of an upload's turn. A transition returns at most one. */
export type RunStep =
  /** Asks the server to start the upload. `instead` is the key of an upload to abort first. */
  | { type: 'get-ticket'; instead: string | null }
  /** Asks which parts storage holds. */
  | { type: 'list-parts'; ticket: UploadTicket }
  /** Sends the bytes. `held` and `resumed` have the meaning of those in `TransferJob`. */
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

/**
 * An effect that the performer carries out. The effects of one event are performed in their order.
 */
export type UploadEffect =
  | RunStep
  | { type: 'save' }
  | { type: 'remove' }
  /** Puts the upload into the queue. */
  | { type: 'enqueue' }
  /** Ends the turn of the upload, and all its calls and transfers. */
  | { type: 'end-turn' }
  /** Frees the place of the upload. */
  | { type: 'abort-on-server'; cloudKey: string }
  /** Removes the record of a cancelled upload two seconds later. */
  | { type: 'forget-soon' }
  /** Forgets the bytes of the upload in this browser. */
  | { type: 'release-data' }
  | { type: 'tell'; notice: Notice }
  /** Adds a new file to the list of files. */
  | { type: 'refresh-list'; file: StoredFile }
  /**
   * Fails the uploads that wait for their turn: the server would refuse them for the same reason.
   */
  | { type: 'stop-the-rest'; reason: string }
  /** Pauses the uploads that wait for their turn, and tells the person to sign in. */
  | { type: 'ask-to-sign-in' }

/** The result of an event. The record is null when it is removed. */
export interface Transition {
  record: UploadRecord | null
  effects: UploadEffect[]
}
