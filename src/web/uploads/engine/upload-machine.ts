import {
  isForgotten,
  isOver,
  type UploadRecord,
  type UploadTicket,
} from '../records/upload-record.ts'
import {
  cancelledByUser,
  dataLost,
  failsForGood,
  isCancelled,
  type Refusal,
  refusalText,
  stopsTheRest,
  transferCode,
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
 * True while an upload waits in the queue or runs. The page should then stay open. Returns false
 * for null and undefined.
 */
export function isUnderWay(record: Pick<UploadRecord, 'status'> | null | undefined): boolean {
  return record?.status === 'pending' || record?.status === 'uploading'
}

/**
 * True when an upload may be resumed: it is paused, or it failed for a reason that another attempt
 * may change. A person did not cancel it.
 */
export function canResume(record: UploadRecord): boolean {
  if (record.status === 'paused') return true
  return record.status === 'failed' && !isCancelled(record) && !failsForGood(record)
}

/** Spec §9: a paused upload resumes without a person after 5 s without activity. */
const autoResumeIdleMs = 5000

/**
 * True when a paused upload may resume without a person. Spec §4: after more than 5 seconds without
 * activity.
 */
export function canResumeByItself(
  { status, need, lastActivity }: UploadRecord,
  now: number,
): boolean {
  const idle = now - lastActivity
  // If `idle` is negative, the clock was set back. Nobody then knows how long the upload was idle,
  // so it may resume.
  return status === 'paused' && need === null && (idle > autoResumeIdleMs || idle < 0)
}

/**
 * Computes how an event changes an upload's record, and which effects follow (spec §4, upload
 * status). The function is pure: it only returns the effects, and the engine performs them. `now`
 * is milliseconds since 1970. An event that does not fit the record's status changes nothing. An
 * example is a late answer for an upload that was cancelled.
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
    case 'tick':
      return isForgotten(record, now) ? removed(record) : unchanged(record)
    case 'resume':
      return canResume(record) ? resumed(record, event.data, now) : unchanged(record)
    case 'lacks':
      if (record.status !== 'failed' || !canResume(record)) return unchanged(record)
      return { record: { ...record, need: event.need }, effects: [save] }
    default:
      return isUnderWay(record) ? whileUnderWay(record, event, now) : unchanged(record)
  }
}

function identified(record: UploadRecord, sample: string): Transition {
  if (record.identity.sample === sample) return unchanged(record)
  return { record: { ...record, identity: { ...record.identity, sample } }, effects: [save] }
}

/**
 * Handles the events of an upload that waits in the queue or runs. The cases stand in the order in
 * which the events happen.
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
      // A lower number than before is valid: the bytes of a failed attempt are no longer counted.
      if (status !== 'uploading' || event.bytes === record.uploadedBytes) return unchanged(record)
      return { record: withBytes(active, event.bytes), effects: [save] }
    case 'sent':
      if (status !== 'uploading' || !ticket) return unchanged(record)
      return {
        record: withBytes(active, record.fileSize),
        effects: [save, { type: 'confirm', ticket, stage: 'confirm' }],
      }
    case 'confirmed':
      // Spec §4: an upload is completed once it is confirmed.
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
      return { record: failed(active, event.reason, event.code), effects: [endTurn, save] }
    case 'halt':
      return halted(record)
    default:
      return unchanged(record)
  }
}

/**
 * Starts an upload that waited in the queue. Without the file, the run can only ask the server to
 * confirm the upload, which succeeds if the server has all bytes. If the upload has neither file
 * nor ticket, there is nothing to confirm, so it is paused.
 */
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

/** Starts the transfer. A pending upload thereby becomes uploading. */
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
    // The stored bytes differ from the sent ones. The server has ended the upload, so the file is
    // sent once more as a new one.
    if (refusal.code === 'CHECKSUM_MISMATCH') return startedAnew(record, null)
    // A server that crashed may have lost bytes that were not yet safe on its disk. Ask which parts
    // it still has.
    if (refusal.code === 'UPLOAD_INCOMPLETE') {
      const again = { ...record, restarted: true }
      return { record: again, effects: [save, { type: 'list-parts', ticket }] }
    }
  }
  const words = stage === 'start' || stage === 'resume' ? 'start' : 'confirm'
  const reason = refusalText(words, path, refusal)
  const why = { error: reason, code: refusal.code }
  // The server has ended this upload, so there is nothing to continue and nothing to abort.
  if (refusal.code === 'CONTENT_BLOCKED') {
    const ended = { ...record, ticket: null }
    return failedAndTold(ended, words, why, [{ type: 'release-data' }])
  }
  const rest: UploadEffect[] = stopsTheRest(refusal)
    ? [{ type: 'stop-the-rest', reason, code: refusal.code }]
    : []
  return failedAndTold(record, words, why, rest)
}

/**
 * True when the server lacks some of the bytes, has different bytes, or does not know the upload.
 */
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
    // The file has changed since its upload began. Continuing would mix two versions.
    if (kind === 'changed') return startedAnew(record, ticket.cloudKey)
    // The presigned URL of a small file has expired. A new start gives another one. A larger file
    // fails instead, because a new start would lose its stored parts.
    if (status === 403 && !ticket.parts) return startedAnew(record, ticket.cloudKey)
  }
  const why = {
    error: transferText(path, kind, status, ticket?.store === 's3'),
    code: transferCode(kind, status),
  }
  // If the file cannot be read, this browser forgets it. The next attempt then asks for the file,
  // unless it was pasted and so cannot be chosen again.
  const isFileLost = kind === 'unreadable' || kind === 'changed'
  if (!isFileLost) return failedAndTold(record, 'transfer', why)
  const next = failedAndTold(record, 'transfer', why, [{ type: 'release-data' }])
  if (record.pasted || next.record === null) return next
  return { ...next, record: { ...next.record, need: 'file' } }
}

/**
 * Asks whether an upload became a file. It is called when the server no longer knows the upload,
 * because it has become a file or was removed.
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

/** Continues a paused or failed upload. `data` says where its bytes are. */
function resumed(record: UploadRecord, data: DataState, now: number): Transition {
  if (data !== 'ready' && data !== 'stored') return withoutData(record, data, now)
  return {
    record: {
      ...record,
      status: 'pending',
      need: null,
      error: null,
      code: null,
      restarted: false,
      lastActivity: now,
    },
    effects: [save, { type: 'enqueue' }],
  }
}

/**
 * Handles an upload whose bytes this tab does not have. A person can help to get them, or they are
 * lost.
 */
function withoutData(
  record: UploadRecord,
  data: Exclude<DataState, 'ready' | 'stored'>,
  now: number,
): Transition {
  // A person cannot choose pasted content again, because it is no file on a disk.
  if (data !== 'gone' && !record.pasted) return { record: paused(record, data), effects: [save] }
  return {
    record: failed({ ...record, lastActivity: now }, dataLost),
    effects: [save, { type: 'release-data' }],
  }
}

/**
 * Pauses an upload. Spec §4: records found uploading or pending when the page loads become paused.
 */
function halted(record: UploadRecord): Transition {
  return { record: paused(record, null), effects: [endTurn, save] }
}

/** Pauses an upload because the session has ended, and asks the person to sign in. */
function pausedToSignIn(record: UploadRecord): Transition {
  return {
    record: paused(record, 'sign-in'),
    effects: [endTurn, save, { type: 'ask-to-sign-in' }],
  }
}

/** Cancels an upload. Spec §4: it fails with 'Cancelled by user', then its record is removed. */
function cancelled(record: UploadRecord, now: number): Transition {
  // A failed upload is removed immediately: the person has already seen that it failed.
  if (record.status === 'failed') return removed(record)
  return {
    record: failed({ ...record, ticket: null, lastActivity: now }, cancelledByUser),
    effects: [
      ...(isUnderWay(record) ? [endTurn] : []),
      save,
      ...freeSlot(record),
      { type: 'release-data' },
      { type: 'forget-soon' },
    ],
  }
}

/**
 * Removes the upload's record in this browser, and the upload on the server. If the upload became a
 * file, the file stays.
 */
function removed(record: UploadRecord): Transition {
  return {
    record: null,
    effects: [endTurn, ...freeSlot(record), { type: 'release-data' }, { type: 'remove' }],
  }
}

/**
 * Returns the effect that frees the upload slot on the server (spec §4). A completed upload is a
 * file and has no slot of its own.
 */
function freeSlot({ ticket, status }: UploadRecord): UploadEffect[] {
  if (!ticket || status === 'completed') return []
  return [{ type: 'abort-on-server', cloudKey: ticket.cloudKey }]
}

/**
 * Fails an upload and shows a notice. The upload is not aborted on the server, so that another
 * attempt can continue from the stored bytes.
 */
function failedAndTold(
  record: UploadRecord,
  stage: FailedStage,
  { error, code }: { error: string; code: string | null },
  more: UploadEffect[] = [],
): Transition {
  const notice = failureNotice(stage, record.fileName, error, code)
  return {
    record: failed(record, error, code),
    effects: [endTurn, save, { type: 'tell', notice }, ...more],
  }
}

function unchanged(record: UploadRecord): Transition {
  return { record, effects: [] }
}

const save: UploadEffect = { type: 'save' }
const endTurn: UploadEffect = { type: 'end-turn' }

/**
 * Returns the record as paused. `need` is what a person must give before the upload can continue.
 */
function paused(record: UploadRecord, need: UploadRecord['need']): UploadRecord {
  return { ...record, status: 'paused', need, error: null, code: null }
}

/**
 * Returns the record as failed.
 * @param error the text that a person reads.
 * @param code the code of the refusal, if the server refused something.
 */
function failed(record: UploadRecord, error: string, code: string | null = null): UploadRecord {
  return { ...record, status: 'failed', need: null, error, code }
}

/**
 * Returns the record with the number of bytes that were sent or are stored, and the percentage. The
 * number is kept between 0 and the file's size.
 */
function withBytes(record: UploadRecord, bytes: number): UploadRecord {
  const { fileSize, status } = record
  const uploadedBytes = Math.min(Math.max(bytes, 0), fileSize)
  const ofNothing = status === 'pending' ? 0 : 100
  const progress = fileSize === 0 ? ofNothing : Math.floor((uploadedBytes / fileSize) * 100)
  return { ...record, uploadedBytes, progress }
}
