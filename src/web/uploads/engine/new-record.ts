import { isMediaType } from '../../../shared/rules/files/file-kind.ts'
import { cleanFileName } from '../../../shared/rules/files/file-name.ts'
import type { UploadPath } from '../../../shared/rules/files/upload-path.ts'
import type { PickedFile } from '../picking/picked-file.ts'
import type { RecordLink, UploadRecord } from '../records/upload-record.ts'

/** The files in one drop, which were added together. */
export interface AddedFiles {
  /** The drop's ID. */
  batch: string
  path: UploadPath
  expirationDays: number
  /** The link for all files. If undefined, each file gets its own. */
  link?: RecordLink | undefined
  /** The files, each with its upload record's ID. */
  files: readonly { id: string; picked: PickedFile }[]
}

/** Creates the record for a new upload. `now` is in epoch milliseconds. */
export function createRecord({
  id,
  ownerId,
  picked: { file, isPasted: pasted },
  now,
  ...drop
}: Omit<AddedFiles, 'files'> &
  AddedFiles['files'][number] & { ownerId: string; now: number }): UploadRecord {
  return {
    id,
    ownerId,
    ...drop,
    fileName: cleanFileName(file.name),
    fileSize: file.size,
    fileType: file.type,
    identity: { name: file.name, size: file.size, lastModified: file.lastModified },
    pasted: pasted ?? false,
    ticket: null,
    restarted: false,
    uploadStartTime: null,
    progress: 0,
    uploadedBytes: 0,
    status: 'pending',
    need: null,
    lastActivity: now,
    error: null,
  }
}

/** Returns what the server needs to know of a file to start its upload. */
export function announcedFile({ fileName, fileSize, fileType }: UploadRecord) {
  // Some systems report an invalid type. An empty string means unknown.
  return { fileName, fileSize, fileType: isMediaType(fileType) ? fileType : '' }
}
