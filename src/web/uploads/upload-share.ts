import type { UploadShare } from './engine/upload-progress.ts'
import type { UploadRecord } from './records/upload-record.ts'

/** What of a record the progress over several files is made of; what is paused is still to do. */
export const shareOf = ({
  fileName,
  fileSize,
  uploadedBytes,
  status,
}: Pick<UploadRecord, 'fileName' | 'fileSize' | 'uploadedBytes' | 'status'>): UploadShare => ({
  name: fileName,
  size: fileSize,
  sent: uploadedBytes,
  status: status === 'paused' ? 'pending' : status,
})
