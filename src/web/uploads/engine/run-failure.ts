import type { UploadRecord } from '../records/upload-record.ts'
import { callErrorText, transferCode, transferErrorText } from '../upload-errors.ts'
import { TransferError } from '../upload-ports.ts'
import type { RunFailure } from './upload-run.ts'

/** Returns the text that the user sees for a failed run, and the error code, if there is one. */
export function describeFailure(
  { path, ticket }: UploadRecord,
  { stage, cause }: RunFailure,
): { error: string; code: string | null } {
  if (cause instanceof TransferError) {
    const { kind, status } = cause
    const isS3 = ticket?.store === 's3'
    return { error: transferErrorText(path, kind, status, isS3), code: transferCode(kind, status) }
  }
  const callStage = stage === 'confirm' ? stage : 'start'
  return { error: callErrorText(callStage, path, cause), code: cause.code }
}
