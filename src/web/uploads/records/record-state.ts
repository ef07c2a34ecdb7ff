import { dayInMs } from '../../../shared/rules/format/units.ts'
import type { UploadRecord } from './upload-record.ts'

/**
 * True if an upload has completed or failed. A failed upload is retried only at the user's request.
 */
export function isFinished({ status }: Pick<UploadRecord, 'status'>): boolean {
  return status === 'completed' || status === 'failed'
}

/**
 * True if a record is due for removal. Spec §4: completed or failed records older than 24 hours are
 * removed. `now` is in epoch milliseconds.
 */
export function isExpiredRecord(
  record: Pick<UploadRecord, 'status' | 'lastActivity'>,
  now: number,
): boolean {
  return isFinished(record) && now - record.lastActivity > dayInMs
}
