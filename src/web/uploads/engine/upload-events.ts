import type { File as StoredFile } from '../../../shared/contract/files.ts'
import type { UploadRecord, UploadTicket } from '../records/upload-record.ts'
import type { Refusal } from '../upload-errors.ts'
import type { Notice } from '../upload-notices.ts'
import type { StoredPart, TransferFault } from '../upload-ports.ts'

/**
 * Where the bytes of an upload are.
 * - `ready`: this tab has them in memory.
 * - `file`: a person has to choose the file again.
 * - `permission`: a person has to allow the browser to read the file again.
 * - `gone`: the bytes are lost.
 * - `stored`: the server has all bytes, or no longer knows the upload, perhaps because it became a
 *   file. So the upload is confirmed without the file.
 */
export type DataState = 'ready' | 'file' | 'permission' | 'gone' | 'stored'

/**
 * Why the upload asks the server to confirm it.
 * - `confirm`: the server has all bytes.
 * - `confirm-lost`: the server does not know the upload. An earlier confirmation may have succeeded
 *   although its answer was lost.
 * - `confirm-without-file`: this tab does not have the file, but the server may have all bytes or
 *   the finished file.
 */
export type ConfirmStage = 'confirm' | 'confirm-lost' | 'confirm-without-file'

/**
 * The calls that the server can refuse: `start` is get-upload-url, `resume` lists the stored parts.
 */
export type CallStage = 'start' | 'resume' | ConfirmStage

export type UploadEvent =
  /**
   * The queue has started the upload. If this tab does not have the file, the upload can only be
   * confirmed.
   */
  | { type: 'turn-began'; hasFile: boolean }
  | { type: 'ticket'; ticket: UploadTicket }
  /** The server answered which parts it has stored. */
  | { type: 'held'; parts: readonly StoredPart[] }
  | { type: 'progress'; bytes: number }
  /** All bytes were sent and stored. */
  | { type: 'sent' }
  | { type: 'confirmed'; file: StoredFile }
  | { type: 'refused'; stage: CallStage; refusal: Refusal }
  | { type: 'transfer-failed'; kind: TransferFault; status: number | null }
  /**
   * The hash of some of the file's bytes was computed. It shows later whether a person has chosen
   * the same file again.
   */
  | { type: 'identified'; sample: string }
  /** The upload is to continue. `data` says where its bytes are. */
  | { type: 'resume'; data: DataState }
  /** A failed upload can be tried again only after a person has given what `need` names. */
  | { type: 'lacks'; need: 'file' | 'permission' }
  /** No engine runs the upload any more: its page was loaded again, or the engine was closed. */
  | { type: 'halt' }
  /** A call of another upload showed that the session has ended. */
  | { type: 'signed-out' }
  /** Another upload was refused for a reason that applies to this upload too. */
  | { type: 'stopped'; reason: string; code: string | null }
  | { type: 'cancel' }
  /** The cancelled upload was shown for two seconds. Its record can now be removed. */
  | { type: 'forget' }
  /** A person removes all completed and failed uploads from the panel. */
  | { type: 'clear' }
  /** The regular cleanup. It removes the upload if it is old enough. */
  | { type: 'tick' }

/** The next step of a running upload. An event leads to at most one step. */
export type RunStep =
  /**
   * Asks the server to start the upload. `instead` is the key of an older upload to abort first.
   */
  | { type: 'get-ticket'; instead: string | null }
  /** Asks which parts the server has stored. */
  | { type: 'list-parts'; ticket: UploadTicket }
  /** Sends the bytes. `held` and `resumed` are explained in `TransferJob`. */
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
 * Something that must be done after an event, such as saving the record of the upload. Each event
 * gives a list of effects. `EffectPerformer` performs them from the first to the last. It does not
 * perform a `RunStep` but returns it, and the `UploadRun` of the upload performs it.
 */
export type UploadEffect =
  | RunStep
  | { type: 'save' }
  | { type: 'remove' }
  /** Adds the upload to the queue. */
  | { type: 'enqueue' }
  /** Ends the run of the upload. The queue may then start the next upload. */
  | { type: 'end-turn' }
  /** Aborts the upload on the server, which frees its upload slot. */
  | { type: 'abort-on-server'; cloudKey: string }
  /** Removes the record of a cancelled upload two seconds later. */
  | { type: 'forget-soon' }
  /** Removes the file and its handle from this browser. */
  | { type: 'release-data' }
  | { type: 'tell'; notice: Notice }
  /** Adds a new file to the list of files. */
  | { type: 'refresh-list'; file: StoredFile }
  /** Fails the uploads that wait in the queue: the server would refuse them for the same reason. */
  | { type: 'stop-the-rest'; reason: string; code: string | null }
  /** Pauses the uploads that wait in the queue, and asks the person to sign in. */
  | { type: 'ask-to-sign-in' }

/** The result of an event. `record` is null when the record is to be removed. */
export interface Transition {
  record: UploadRecord | null
  effects: UploadEffect[]
}
