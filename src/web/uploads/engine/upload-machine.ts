import { dayInMs } from '../../../shared/rules/lifetime.ts'
import type { UploadRecord, UploadTicket } from '../records/upload-record.ts'
import {
  cancelledByUser,
  dataLost,
  isCancelled,
  type Refusal,
  refusalText,
  stopsTheRest,
  transferText,
} from '../upload-errors.ts'
import { type FailedStage, failureNotice, successNotice } from '../upload-notices.ts'
import type { StoredPart, TransferFault } from '../upload-ports.ts'
import type {
  CallStage,
  DataState,
  Transition,
  UploadEffect,
  UploadEvent,
} from './upload-events.ts'

/**
 * True while an upload waits for its turn or has it, and the page should stay open. False for no
 * upload.
 */
export function isUnderWay(record: Pick<UploadRecord, 'status'> | null | undefined): boolean {
  return record?.status === 'pending' || record?.status === 'uploading'
}

/** True when an upload has completed or failed. A failed one goes on only if a person says so. */
export function isOver({ status }: UploadRecord): boolean {
  return status === 'completed' || status === 'failed'
}

/** True when an upload may go on: it is paused, or it failed without being cancelled. */
export function canResume(record: UploadRecord): boolean {
  return record.status === 'paused' || (record.status === 'failed' && !isCancelled(record))
}

/** Spec §9: uploads that are paused and idle for more than 5 s can resume by themselves. */
const autoResumeIdleMs = 5000

/** Spec §4: paused uploads idle for more than 5 seconds can be auto-resumed. */
export function canResumeByItself(
  { status, need, lastActivity }: UploadRecord,
  now: number,
): boolean {
  const idle = now - lastActivity
  // Activity in the future means that the clock was set back. The idle time is then unknown.
  return status === 'paused' && need === null && (idle > autoResumeIdleMs || idle < 0)
}

/**
 * Computes what an event does to an upload (spec §4, upload status). It is pure: `now` is
 * milliseconds since 1970, and only the returned effects reach the server and the browser. An event
 * that does not fit the record's state, such as the late answer to a call that was given up,
 * changes nothing.
 */
export function advance(record: UploadRecord, event: UploadEvent, now: number): Transition {
  switch (event.type) {
    case 'identified':
      return identified(record, event.sample)
    case 'cancel':
      return record.status === 'completed' ? unchanged(record) : cancelled(record, now)
    case 'forget':
      return isCancelled(record) ? removed(record) : unchanged(record)
    case 'clear':
      return isOver(record) ? removed(record) : unchanged(record)
    case 'tick': {
      // Spec §4: completed or failed records older than 24 hours are removed.
      const isOld = isOver(record) && now - record.lastActivity > dayInMs
      return isOld ? removed(record) : unchanged(record)
    }
    case 'resume':
      return canResume(record) ? resumed(record, event.data, now) : unchanged(record)
    default:
      return isUnderWay(record) ? whileUnderWay(record, event, now) : unchanged(record)
  }
}

function identified(record: UploadRecord, sample: string): Transition {
  if (record.identity.sample === sample) return unchanged(record)
  return { record: { ...record, identity: { ...record.identity, sample } }, effects: [save] }
}

/**
 * Handles the events of an upload that waits for its turn or has it, in the order of an upload's
 * life.
 */
function whileUnderWay(record: UploadRecord, event: UploadEvent, now: number): Transition {
  const { ticket, status } = record
  const active = { ...record, lastActivity: now }
  switch (event.type) {
    case 'turn-began':
      return status === 'pending' ? begun(record, event.hasFile) : unchanged(record)
    case 'ticket':
      return ticket ? unchanged(record) : transferring(record, event.ticket, [], false, now)
    case 'held':
      return ticket ? transferring(record, ticket, event.parts, true, now) : unchanged(record)
    case 'progress':
      // The count may fall: the bytes of a lost try are not in storage.
      if (status !== 'uploading' || event.bytes === record.uploadedBytes) return unchanged(record)
      return { record: withBytes(active, event.bytes), effects: [save] }
    case 'sent':
      if (status !== 'uploading' || !ticket) return unchanged(record)
      return {
        record: withBytes(active, record.fileSize),
        effects: [save, { type: 'confirm', ticket, stage: 'confirm' }],
      }
    case 'confirmed':
      // Spec §4: uploading becomes completed after the transfer and the confirm call succeeded.
      if (status !== 'uploading') return unchanged(record)
      return {
        record: withBytes({ ...active, status: 'completed' }, record.fileSize),
        effects: [
          endTurn,
          save,
          { type: 'release-data' },
          { type: 'refresh-list', file: event.file },
          { type: 'tell', notice: successNotice(record.path, record.fileName) },
        ],
      }
    case 'refused':
      return refused(active, event.stage, event.refusal, now)
    case 'transfer-failed':
      if (status !== 'uploading') return unchanged(record)
      return transferFailed(active, event.kind, event.status)
    case 'signed-out':
      return { record: paused(record, 'sign-in'), effects: [endTurn, save] }
    case 'stopped':
      if (status !== 'pending') return unchanged(record)
      return { record: failed(active, event.reason), effects: [endTurn, save] }
    case 'halt':
      return halted(record)
    default:
      return unchanged(record)
  }
}

/** Begins the turn of an upload. */
function begun(record: UploadRecord, hasFile: boolean): Transition {
  const { ticket } = record
  if (hasFile) {
    return {
      record,
      effects: [ticket ? { type: 'list-parts', ticket } : { type: 'get-ticket', instead: null }],
    }
  }
  if (!ticket) return halted(record)
  return {
    record: { ...record, status: 'uploading' },
    effects: [save, { type: 'confirm', ticket, stage: 'confirm-without-file' }],
  }
}

/** Spec §4: pending becomes uploading when the transfer starts. */
function transferring(
  record: UploadRecord,
  ticket: UploadTicket,
  held: readonly StoredPart[],
  resumed: boolean,
  now: number,
): Transition {
  const bytes = held.reduce((sum, { size }) => sum + size, 0)
  const uploading: UploadRecord = {
    ...record,
    status: 'uploading',
    ticket,
    uploadStartTime: record.uploadStartTime ?? now,
    lastActivity: now,
  }
  return {
    record: withBytes(uploading, bytes),
    effects: [save, { type: 'transfer', ticket, held, resumed }],
  }
}

function refused(
  record: UploadRecord,
  stage: CallStage,
  refusal: Refusal,
  now: number,
): Transition {
  const { ticket, restarted, path } = record
  if (refusal.status === 401) return pausedToSignIn(record)
  if (stage === 'confirm-without-file' && needsItsFile(refusal)) {
    const next = withoutData(record, 'file', now)
    return { ...next, effects: [endTurn, ...next.effects] }
  }
  const isUnknown = refusal.status === 404
  if (stage === 'resume' && isUnknown && ticket) return askWhetherStored(record, ticket)
  if (stage === 'confirm-lost' && isUnknown && !restarted) return startedAnew(record, null)
  if (stage === 'confirm' && ticket && !restarted) {
    const again = { ...record, restarted: true }
    // The stored bytes differ from the sent ones. Storage has removed them and takes the file once
    // more.
    if (refusal.code === 'CHECKSUM_MISMATCH') return transferring(again, ticket, [], true, now)
    // A server that was cut off may have lost bytes that it had not made durable yet.
    if (refusal.code === 'UPLOAD_INCOMPLETE') {
      return { record: again, effects: [save, { type: 'list-parts', ticket }] }
    }
  }
  const words = stage === 'start' || stage === 'resume' ? 'start' : 'confirm'
  const reason = refusalText(words, path, refusal)
  const rest: UploadEffect[] = stopsTheRest(refusal) ? [{ type: 'stop-the-rest', reason }] : []
  return failedAndTold(record, words, reason, rest)
}

/** True when storage lacks some of the bytes, has different bytes, or does not know the upload. */
function needsItsFile({ status, code }: Refusal): boolean {
  return status === 404 || code === 'UPLOAD_INCOMPLETE' || code === 'CHECKSUM_MISMATCH'
}

function transferFailed(
  record: UploadRecord,
  kind: TransferFault,
  status: number | null,
): Transition {
  const { ticket, restarted, path } = record
  if (kind === 'signed-out') return pausedToSignIn(record)
  if (ticket && !restarted) {
    if (kind === 'gone' || status === 404) return askWhetherStored(record, ticket)
    // The URL of a small file expired while the upload waited. URLs of parts are renewed.
    if (status === 403 && !ticket.parts) return startedAnew(record, ticket.cloudKey)
  }
  const reason = transferText(path, kind, status)
  // The file is unreadable, so its data is forgotten and the next try asks for the file.
  const more: UploadEffect[] = kind === 'unreadable' ? [{ type: 'release-data' }] : []
  return failedAndTold(record, 'transfer', reason, more)
}

/**
 * Asks whether the upload became a file. The server does not know the upload any more: either it is
 * a file, or the server removed it.
 */
function askWhetherStored(record: UploadRecord, ticket: UploadTicket): Transition {
  return {
    record: { ...record, status: 'uploading' },
    effects: [save, { type: 'confirm', ticket, stage: 'confirm-lost' }],
  }
}

function startedAnew(record: UploadRecord, instead: string | null): Transition {
  const fresh = { ...record, ticket: null, uploadStartTime: null, restarted: true }
  return { record: withBytes(fresh, 0), effects: [save, { type: 'get-ticket', instead }] }
}

/** Continues a paused or failed upload. */
function resumed(record: UploadRecord, data: DataState, now: number): Transition {
  if (data !== 'ready' && data !== 'stored') return withoutData(record, data, now)
  return {
    record: {
      ...record,
      status: 'pending',
      need: null,
      error: null,
      restarted: false,
      lastActivity: now,
    },
    effects: [save, { type: 'enqueue' }],
  }
}

/** Handles an upload whose bytes are not in this tab: a person may give them, or they are lost. */
function withoutData(
  record: UploadRecord,
  data: Exclude<DataState, 'ready' | 'stored'>,
  now: number,
): Transition {
  // Pasted content has no file on a disk that could be chosen again.
  if (data !== 'gone' && !record.pasted) return { record: paused(record, data), effects: [save] }
  return {
    record: failed({ ...record, lastActivity: now }, dataLost),
    effects: [save, { type: 'release-data' }],
  }
}

/** Spec §4: records found uploading or pending at load time become paused. */
function halted(record: UploadRecord): Transition {
  return { record: paused(record, null), effects: [endTurn, save] }
}

/** Pauses an upload because the session is over, and asks the person to sign in. */
function pausedToSignIn(record: UploadRecord): Transition {
  return {
    record: paused(record, 'sign-in'),
    effects: [endTurn, save, { type: 'ask-to-sign-in' }],
  }
}

/** Spec §4: the upload fails with 'Cancelled by user', then its record is removed. */
function cancelled(record: UploadRecord, now: number): Transition {
  // A failed upload is removed at once: the person has already seen that it failed.
  if (record.status === 'failed') return removed(record)
  return {
    record: failed({ ...record, ticket: null, lastActivity: now }, cancelledByUser),
    effects: [
      ...(isUnderWay(record) ? [endTurn] : []),
      save,
      ...freePlace(record),
      { type: 'release-data' },
      { type: 'forget-soon' },
    ],
  }
}

/** Removes an upload here and on the server. A file that it became stays. */
function removed(record: UploadRecord): Transition {
  return {
    record: null,
    effects: [endTurn, ...freePlace(record), { type: 'release-data' }, { type: 'remove' }],
  }
}

/** Spec §4: frees the place of an upload. A file that the upload became is not touched. */
function freePlace({ ticket, status }: UploadRecord): UploadEffect[] {
  if (!ticket || status === 'completed') return []
  return [{ type: 'abort-on-server', cloudKey: ticket.cloudKey }]
}

/**
 * Fails an upload and shows a notice. Its bytes in storage stay, so that another try can go on from
 * them.
 */
function failedAndTold(
  record: UploadRecord,
  stage: FailedStage,
  error: string,
  more: UploadEffect[],
): Transition {
  const notice = failureNotice(stage, record.fileName, error)
  return {
    record: failed(record, error),
    effects: [endTurn, save, { type: 'tell', notice }, ...more],
  }
}

function unchanged(record: UploadRecord): Transition {
  return { record, effects: [] }
}

const save: UploadEffect = { type: 'save' }
const endTurn: UploadEffect = { type: 'end-turn' }

/** Returns a paused record. The upload can go on when its need is met. */
function paused(record: UploadRecord, need: UploadRecord['need']): UploadRecord {
  return { ...record, status: 'paused', need, error: null }
}

/**
 * Returns a failed record.
 * @param error the text that a person reads.
 */
function failed(record: UploadRecord, error: string): UploadRecord {
  return { ...record, status: 'failed', need: null, error }
}

/**
 * Returns the record with `bytes` bytes sent or stored. The count stays between 0 and the file's
 * size.
 */
function withBytes(record: UploadRecord, bytes: number): UploadRecord {
  const { fileSize, status } = record
  const uploadedBytes = Math.min(Math.max(bytes, 0), fileSize)
  const ofNothing = status === 'pending' ? 0 : 100
  const progress = fileSize === 0 ? ofNothing : Math.floor((uploadedBytes / fileSize) * 100)
  return { ...record, uploadedBytes, progress }
}
