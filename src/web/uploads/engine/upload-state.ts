/** An upload's states (spec §4). Each transition is a function that returns the new record. */
import type { UploadNeed, UploadRecord } from '../records/upload-record.ts'
import { cancelledText, isCancelled, isPermanentFailure } from '../upload-errors.ts'

/** True while an upload is waiting in the queue or running. */
export function isActive({ status }: Pick<UploadRecord, 'status'>): boolean {
  return status === 'pending' || status === 'uploading'
}

/**
 * True if an upload is paused, or failed with an error that is neither permanent nor a
 * cancellation.
 */
export function canResume(record: UploadRecord): boolean {
  if (record.status === 'paused') return true
  return record.status === 'failed' && !isCancelled(record) && !isPermanentFailure(record)
}

/** Spec §9: a paused upload resumes automatically after 5 s without activity. */
const autoResumeIdleMs = 5000

/** True if a paused upload has been idle long enough to resume automatically. */
export function canAutoResume({ status, need, lastActivity }: UploadRecord, now: number): boolean {
  const idleMs = now - lastActivity
  // The idle time is negative if the clock was set back.
  return status === 'paused' && need === null && (idleMs > autoResumeIdleMs || idleMs < 0)
}

/** Puts an upload back into the queue. */
export function toPending(record: UploadRecord, now: number): UploadRecord {
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

/** Pauses an upload. `need` is the action that the user must take before it can continue. */
export function toPaused(record: UploadRecord, need: UploadNeed): UploadRecord {
  return { ...record, status: 'paused', need, error: null, code: null }
}

/**
 * Fails an upload.
 * @param error the text shown to the user.
 * @param code the server's error code, if any.
 */
export function toFailed(
  record: UploadRecord,
  error: string,
  code: string | null,
  now: number,
): UploadRecord {
  return { ...record, status: 'failed', need: null, error, code, lastActivity: now }
}

/**
 * Cancels an upload. Spec §4: it fails with 'Cancelled by user', and its record is removed later.
 */
export function toCancelled(record: UploadRecord, now: number): UploadRecord {
  return { ...toFailed(record, cancelledText, null, now), ticket: null }
}

export function toCompleted(record: UploadRecord, now: number): UploadRecord {
  return withBytes({ ...record, status: 'completed', lastActivity: now }, record.fileSize)
}

/** Sets the number of bytes sent or stored, and updates the percentage. */
export function withBytes(record: UploadRecord, bytes: number): UploadRecord {
  const { fileSize, status } = record
  const uploadedBytes = Math.min(Math.max(bytes, 0), fileSize)
  const emptyFileProgress = status === 'pending' ? 0 : 100
  const progress = fileSize === 0 ? emptyFileProgress : Math.floor((uploadedBytes / fileSize) * 100)
  return { ...record, uploadedBytes, progress }
}
