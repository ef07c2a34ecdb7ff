import { dayInMs } from '../../../shared/rules/lifetime.ts'
import type { UploadRecord, UploadTicket } from '../records/upload-record.ts'
import {
  dataLost,
  isCancelled,
  type Refusal,
  refusalText,
  stopsTheRest,
  transferText,
} from '../upload-errors.ts'
import { successNotice } from '../upload-notices.ts'
import type { StoredPart, TransferFault } from '../upload-ports.ts'
import type { CallStage, DataState, Step, UploadEffect, UploadEvent } from './upload-events.ts'
import {
  at,
  canComeBack,
  cancelled,
  endTurn,
  fail,
  failed,
  halted,
  isOver,
  isUnderWay,
  paused,
  pausedToSignIn,
  removed,
  save,
  stay,
} from './upload-steps.ts'

/** Spec §9: paused uploads idle for more than 5 s can be resumed by themselves. */
const autoResumeIdleMs = 5000

/**
 * Spec §4: paused uploads idle for more than 5 seconds can be auto-resumed. Activity in the future was
 * before the clock was set back, nobody knows how long.
 */
export const canResumeByItself = (
  { status, need, lastActivity }: UploadRecord,
  now: number,
): boolean => {
  const idle = now - lastActivity
  return status === 'paused' && need === null && (idle > autoResumeIdleMs || idle < 0)
}

/** Spec §4: pending becomes uploading when the transfer starts. */
const transfer = (
  record: UploadRecord,
  ticket: UploadTicket,
  held: readonly StoredPart[],
  resumed: boolean,
  now: number,
): Step => {
  const bytes = held.reduce((sum, { size }) => sum + size, 0)
  const uploading: UploadRecord = {
    ...record,
    status: 'uploading',
    ticket,
    uploadStartTime: record.uploadStartTime ?? now,
    lastActivity: now,
  }
  return {
    record: at(uploading, bytes),
    effects: [save, { type: 'transfer', ticket, held, resumed }],
  }
}

/** The server knows no such upload any more: either it is a file already, or it was swept. */
const askWhetherStored = (record: UploadRecord, ticket: UploadTicket): Step => ({
  record: { ...record, status: 'uploading' },
  effects: [save, { type: 'confirm', ticket, stage: 'confirm-lost' }],
})

const startAnew = (record: UploadRecord, instead: string | null): Step => ({
  record: at({ ...record, ticket: null, uploadStartTime: null, restarted: true }, 0),
  effects: [save, { type: 'get-ticket', instead }],
})

/** Its bytes are not here: a person may help, or there are none any more. */
const withoutData = (
  record: UploadRecord,
  data: Exclude<DataState, 'ready' | 'stored'>,
  now: number,
): Step => {
  // What was pasted lies on no disk from which it could be chosen again.
  if (data !== 'gone' && !record.pasted) return { record: paused(record, data), effects: [save] }
  return {
    record: failed({ ...record, lastActivity: now }, dataLost),
    effects: [save, { type: 'release-data' }],
  }
}

/** Storage has not got all of it, or not as it was sent; it may not even know it. */
const needsItsFile = ({ status, code }: Refusal): boolean =>
  status === 404 || code === 'UPLOAD_INCOMPLETE' || code === 'CHECKSUM_MISMATCH'

const refused = (record: UploadRecord, stage: CallStage, refusal: Refusal, now: number): Step => {
  const { ticket, restarted, path } = record
  if (refusal.status === 401) return pausedToSignIn(record)
  if (stage === 'confirm-without-file' && needsItsFile(refusal)) {
    const step = withoutData(record, 'file', now)
    return { ...step, effects: [endTurn, ...step.effects] }
  }
  const isUnknown = refusal.status === 404
  if (stage === 'resume' && isUnknown && ticket) return askWhetherStored(record, ticket)
  if (stage === 'confirm-lost' && isUnknown && !restarted) return startAnew(record, null)
  if (stage === 'confirm' && ticket && !restarted) {
    const again = { ...record, restarted: true }
    // What is stored is not what was sent: storage removed it and takes it once more.
    if (refusal.code === 'CHECKSUM_MISMATCH') return transfer(again, ticket, [], true, now)
    // A server that was cut off may have lost what it had not yet made durable.
    if (refusal.code === 'UPLOAD_INCOMPLETE') {
      return { record: again, effects: [save, { type: 'list-parts', ticket }] }
    }
  }
  const words = stage === 'start' || stage === 'resume' ? 'start' : 'confirm'
  const reason = refusalText(words, path, refusal)
  const rest: UploadEffect[] = stopsTheRest(refusal) ? [{ type: 'stop-the-rest', reason }] : []
  return fail(record, words, reason, rest)
}

const transferFailed = (record: UploadRecord, kind: TransferFault, status: number | null): Step => {
  const { ticket, restarted, path } = record
  if (kind === 'signed-out') return pausedToSignIn(record)
  if (ticket && !restarted) {
    if (kind === 'gone' || status === 404) return askWhetherStored(record, ticket)
    // The one presigned URL of a small file ran out while it waited; those of parts are renewed.
    if (status === 403 && !ticket.parts) return startAnew(record, ticket.cloudKey)
  }
  const reason = transferText(path, kind, status)
  // Trying again with what cannot be read would fail again: it is asked for instead.
  const more: UploadEffect[] = kind === 'unreadable' ? [{ type: 'release-data' }] : []
  return fail(record, 'transfer', reason, more)
}

/** Its turn has come. */
const begin = (record: UploadRecord, hasFile: boolean): Step => {
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

const whileUnderWay = (record: UploadRecord, event: UploadEvent, now: number): Step => {
  const { ticket, status } = record
  switch (event.type) {
    case 'run':
      return status === 'pending' ? begin(record, event.hasFile) : stay(record)
    case 'ticket':
      return ticket ? stay(record) : transfer(record, event.ticket, [], false, now)
    case 'held':
      return ticket ? transfer(record, ticket, event.parts, true, now) : stay(record)
    case 'progress':
      // It falls where a try was lost: what had left of it is not in storage.
      if (status !== 'uploading' || event.bytes === record.uploadedBytes) return stay(record)
      return { record: at({ ...record, lastActivity: now }, event.bytes), effects: [save] }
    case 'sent':
      if (status !== 'uploading' || !ticket) return stay(record)
      return {
        record: at({ ...record, lastActivity: now }, record.fileSize),
        effects: [save, { type: 'confirm', ticket, stage: 'confirm' }],
      }
    case 'confirmed':
      // Spec §4: uploading becomes completed after the transfer and the confirm call succeeded.
      if (status !== 'uploading') return stay(record)
      return {
        record: at({ ...record, status: 'completed', lastActivity: now }, record.fileSize),
        effects: [
          endTurn,
          save,
          { type: 'release-data' },
          { type: 'refresh-list', file: event.file },
          { type: 'tell', notice: successNotice(record.path, record.fileName) },
        ],
      }
    case 'refused':
      return refused({ ...record, lastActivity: now }, event.stage, event.refusal, now)
    case 'transfer-failed':
      if (status !== 'uploading') return stay(record)
      return transferFailed({ ...record, lastActivity: now }, event.kind, event.status)
    case 'signed-out':
      return { record: paused(record, 'sign-in'), effects: [endTurn, save] }
    case 'stopped':
      if (status !== 'pending') return stay(record)
      return {
        record: failed({ ...record, lastActivity: now }, event.reason),
        effects: [endTurn, save],
      }
    case 'halt':
      return halted(record)
    default:
      return stay(record)
  }
}

/** A paused or failed upload that is to go on. */
const resume = (record: UploadRecord, data: DataState, now: number): Step => {
  if (data === 'ready' || data === 'stored') {
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
  return withoutData(record, data, now)
}

/**
 * What an event makes of an upload (spec §4, upload status). Pure: `now` is milliseconds since 1970,
 * and nothing happens but what the effects name. An event that cannot happen in the record's state,
 * such as the late answer to something that was given up, changes nothing.
 */
export const advance = (record: UploadRecord, event: UploadEvent, now: number): Step => {
  if (event.type === 'identified') {
    if (record.identity.sample === event.sample) return stay(record)
    return {
      record: { ...record, identity: { ...record.identity, sample: event.sample } },
      effects: [save],
    }
  }
  if (event.type === 'cancel') {
    return record.status === 'completed' ? stay(record) : cancelled(record, now)
  }
  if (event.type === 'forget') return isCancelled(record) ? removed(record) : stay(record)
  if (event.type === 'clear') return isOver(record) ? removed(record) : stay(record)
  if (event.type === 'tick') {
    // Spec §4: completed or failed records older than 24 hours are removed.
    const isOld = isOver(record) && now - record.lastActivity > dayInMs
    return isOld ? removed(record) : stay(record)
  }
  if (event.type === 'resume') {
    return canComeBack(record) ? resume(record, event.data, now) : stay(record)
  }
  return isUnderWay(record) ? whileUnderWay(record, event, now) : stay(record)
}
