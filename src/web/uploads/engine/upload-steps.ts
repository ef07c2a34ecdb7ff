import type { UploadRecord } from '../records/upload-record.ts'
import { cancelledByUser, isCancelled } from '../upload-errors.ts'
import { type FailedStage, failureNotice } from '../upload-notices.ts'
import type { Step, UploadEffect } from './upload-events.ts'

/** Its turn comes or runs, and its page should stay; not true of one that is not there. */
export const isUnderWay = (record: Pick<UploadRecord, 'status'> | null | undefined): boolean =>
  record?.status === 'pending' || record?.status === 'uploading'
/** It goes on only when a person says so, if at all. */
export const isOver = ({ status }: UploadRecord) => status === 'completed' || status === 'failed'
/** It waits for a person or for its bytes, and may go on. */
export const canComeBack = (record: UploadRecord): boolean =>
  record.status === 'paused' || (record.status === 'failed' && !isCancelled(record))

const percentOf = (bytes: number, size: number, status: UploadRecord['status']): number => {
  if (size === 0) return status === 'pending' ? 0 : 100
  return Math.floor((bytes / size) * 100)
}

/** The record once so many bytes are on their way or there; never past its size, nor below 0. */
export const at = (record: UploadRecord, bytes: number): UploadRecord => {
  const uploadedBytes = Math.min(Math.max(bytes, 0), record.fileSize)
  return {
    ...record,
    uploadedBytes,
    progress: percentOf(uploadedBytes, record.fileSize, record.status),
  }
}

/** Nothing comes of the event. */
export const stay = (record: UploadRecord): Step => ({ record, effects: [] })

export const save: UploadEffect = { type: 'save' }
export const endTurn: UploadEffect = { type: 'end-turn' }

/** Spec §4: the place is freed; a file that was made of it is not touched by that. */
const freePlace = ({ ticket, status }: UploadRecord): UploadEffect[] =>
  ticket && status !== 'completed' ? [{ type: 'abort-on-server', cloudKey: ticket.cloudKey }] : []

/** Nothing is left of it, here or on the server, but a file that it became. */
export const removed = (record: UploadRecord): Step => ({
  record: null,
  effects: [endTurn, ...freePlace(record), { type: 'release-data' }, { type: 'remove' }],
})

/** It can go on as soon as what it needs is there. */
export const paused = (record: UploadRecord, need: UploadRecord['need']): UploadRecord => ({
  ...record,
  status: 'paused',
  need,
  error: null,
})

/** Spec §4: records found uploading or pending at load time become paused. */
export const halted = (record: UploadRecord): Step => ({
  record: paused(record, null),
  effects: [endTurn, save],
})

/** The session is over, which a person has to hear. */
export const pausedToSignIn = (record: UploadRecord): Step => ({
  record: paused(record, 'sign-in'),
  effects: [endTurn, save, { type: 'ask-to-sign-in' }],
})

/** It ended for a reason that a person reads; telling it is up to the caller. */
export const failed = (record: UploadRecord, error: string): UploadRecord => ({
  ...record,
  status: 'failed',
  need: null,
  error,
})

/** Spec §4: it fails with 'Cancelled by user', then the record is removed. */
export const cancelled = (record: UploadRecord, now: number): Step => {
  // Who dismisses what had failed knows that it did.
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

/** It ends and a person is told. The bytes in storage stay, so that trying again goes on from them. */
export const fail = (
  record: UploadRecord,
  stage: FailedStage,
  error: string,
  more: UploadEffect[] = [],
): Step => ({
  record: failed(record, error),
  effects: [
    endTurn,
    save,
    { type: 'tell', notice: failureNotice(stage, record.fileName, error) },
    ...more,
  ],
})
