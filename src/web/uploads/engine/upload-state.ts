/**
 * The states of an upload (spec §4) and the steps between them, as functions from record to record:
 *
 *     pending ──▶ uploading ──▶ completed
 *        ▲  │         │
 *        │  ▼         ▼
 *        paused ◀─▶ failed
 *
 * `UploadEngine` decides which step is taken.
 */
import type { UploadNeed, UploadRecord } from '../records/upload-record.ts'
import { cancelledByUser, failsForGood, isCancelled } from '../upload-errors.ts'

/** True while an upload waits in the queue or runs. */
export function isUnderWay({ status }: Pick<UploadRecord, 'status'>): boolean {
  return status === 'pending' || status === 'uploading'
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

/** True when a paused upload has been idle for long enough to resume without a person. */
export function canResumeByItself(
  { status, need, lastActivity }: UploadRecord,
  now: number,
): boolean {
  const idle = now - lastActivity
  // `idle` is negative after the clock was set back.
  return status === 'paused' && need === null && (idle > autoResumeIdleMs || idle < 0)
}

/** Adds an upload to the queue again. */
export function waiting(record: UploadRecord, now: number): UploadRecord {
  return {
    ...record,
    status: 'pending',
    need: null,
    error: null,
    code: null,
    restarted: false,
    lastActivity: now,
  }
}

/** Pauses an upload. `need` is what a person must give before it can continue. */
export function paused(record: UploadRecord, need: UploadNeed): UploadRecord {
  return { ...record, status: 'paused', need, error: null, code: null }
}

/**
 * Fails an upload.
 * @param error the text that a person reads.
 * @param code the code of the refusal, if the server refused something.
 */
export function failed(
  record: UploadRecord,
  error: string,
  code: string | null,
  now: number,
): UploadRecord {
  return { ...record, status: 'failed', need: null, error, code, lastActivity: now }
}

/** Cancels an upload. Spec §4: it fails with 'Cancelled by user', then its record is removed. */
export function cancelled(record: UploadRecord, now: number): UploadRecord {
  return { ...failed(record, cancelledByUser, null, now), ticket: null }
}

export function completed(record: UploadRecord, now: number): UploadRecord {
  return withBytes({ ...record, status: 'completed', lastActivity: now }, record.fileSize)
}

/** Sets how many bytes were sent or are stored, and the percentage. */
export function withBytes(record: UploadRecord, bytes: number): UploadRecord {
  const { fileSize, status } = record
  const uploadedBytes = Math.min(Math.max(bytes, 0), fileSize)
  const ofNothing = status === 'pending' ? 0 : 100
  const progress = fileSize === 0 ? ofNothing : Math.floor((uploadedBytes / fileSize) * 100)
  return { ...record, uploadedBytes, progress }
}
