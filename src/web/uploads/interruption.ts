import type { UploadRecord } from './records/upload-record.ts'
import type { StorageAnswer } from './transfer/send.ts'
import type { UploadsState } from './uploads-state.ts'

/** Why a try was lost: nobody answered, or a server that cannot serve now, as with a full disk. */
export type Interruption = 'no-answer' | 'not-ready'

/** What is said of an upload of which a try was lost. */
export const interruptionTexts: Record<Interruption, string> = {
  'no-answer': 'Connection lost, trying again',
  'not-ready': 'The server is not ready, trying again',
}

export const interruptionOf = (answer: StorageAnswer): Interruption =>
  answer.kind === 'answer' && answer.status >= 500 ? 'not-ready' : 'no-answer'

/** Why nothing gets through of the uploads that are under way; null while anything does. */
export const interruptionOfAll = (
  records: readonly Pick<UploadRecord, 'id' | 'status'>[],
  live: UploadsState['live'],
): Interruption | null => {
  const why = ({ id }: Pick<UploadRecord, 'id'>) => live[id]?.interrupted ?? null
  const uploading = records.filter(({ status }) => status === 'uploading').map(why)
  const pending = records.filter(({ status }) => status === 'pending').map(why)
  if (uploading.includes(null)) return null
  const lost = [...uploading, ...pending].filter((one) => one !== null)
  // Where one of them was answered, the connection is there.
  return lost.find((one) => one === 'not-ready') ?? lost[0] ?? null
}
