import type { UploadRecord } from './records/upload-record.ts'
import type { UploadsState } from './uploads-state.ts'

/** True while uploads are under way and nothing of them gets through: each try is lost, or gets no answer. */
export const waitsForConnection = (
  records: readonly Pick<UploadRecord, 'id' | 'status'>[],
  live: UploadsState['live'],
): boolean => {
  const isLost = ({ id }: Pick<UploadRecord, 'id'>) => live[id]?.interrupted ?? false
  const uploading = records.filter(({ status }) => status === 'uploading')
  const pending = records.filter(({ status }) => status === 'pending')
  return uploading.every(isLost) && [...uploading, ...pending].some(isLost)
}
