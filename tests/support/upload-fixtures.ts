import { errorTable } from '../../src/shared/contract/errors.ts'
import type { File as StoredFile } from '../../src/shared/contract/files.ts'
import type { Link, LinkFile } from '../../src/shared/contract/links.ts'
import type { CallResponse } from '../../src/web/api/call.ts'
import { type ListedLink, toListedLink } from '../../src/web/files/listed-link.ts'
import type { UploadRecord } from '../../src/web/uploads/records/upload-record.ts'
import type { CallError } from '../../src/web/uploads/upload-errors.ts'

export function uploadRecord(changes: Partial<UploadRecord> = {}): UploadRecord {
  const { fileName = 'notes.txt', fileSize = 1000, lastActivity = 0 } = changes
  return {
    id: '1',
    ownerId: 'ada',
    batch: 'drop',
    path: 'foreground',
    fileName,
    fileSize,
    fileType: 'text/plain',
    identity: { name: fileName, size: fileSize, lastModified: lastActivity },
    pasted: false,
    expirationDays: 3,
    ticket: null,
    restarted: false,
    uploadStartTime: null,
    progress: 0,
    uploadedBytes: 0,
    status: 'pending',
    need: null,
    lastActivity,
    error: null,
    code: null,
    ...changes,
  }
}

/** Builds a file like the one that the server returns from a confirm. */
export function storedFile(changes: Partial<StoredFile> = {}): StoredFile {
  return {
    id: '4b1c0f8e-7a55-4f0d-9c3e-000000000000',
    originalName: 'notes.txt',
    mimeType: 'text/plain',
    size: 1000,
    shortCode: 'Kd7wQm2xRt',
    createdAt: '2025-07-12T10:00:00.000Z',
    expiresAt: '2025-07-15T10:00:00.000Z',
    maxLifetimeAt: '2025-08-11T10:00:00.000Z',
    downloadCount: 0,
    uploadDuration: 1,
    purgingAt: null,
    purgedAt: null,
    purgeDueAt: null,
    takenDownAt: null,
    takedownReason: null,
    sha256: null,
    ...changes,
  }
}

export function linkFile(changes: Partial<LinkFile> = {}): LinkFile {
  return {
    id: '4b1c0f8e-7a55-4f0d-9c3e-000000000000',
    name: 'notes.txt',
    mimeType: 'text/plain',
    size: 1000,
    sha256: null,
    state: 'ready',
    receivedBytes: 1000,
    downloadCount: 0,
    purgingAt: null,
    purgedAt: null,
    purgeDueAt: null,
    takenDownAt: null,
    takedownReason: null,
    ...changes,
  }
}

/** Builds a link with these files, by default one with the link's id. */
export function listedLink({
  id = '4b1c0f8e-7a55-4f0d-9c3e-000000000001',
  files = [linkFile({ id })],
  ...changes
}: Partial<Link> = {}): ListedLink {
  return toListedLink({
    id,
    shortCode: 'Kd7wQm2xRt',
    title: null,
    message: null,
    createdAt: '2025-07-12T10:00:00.000Z',
    expiresAt: '2025-07-15T10:00:00.000Z',
    maxLifetimeAt: '2025-08-11T10:00:00.000Z',
    state: files.some(({ state }) => state === 'uploading') ? 'uploading' : 'ready',
    hasPassword: false,
    maxDownloads: null,
    downloadCount: 0,
    requestId: null,
    senderName: null,
    shared: true,
    undelivered: [],
    totalSize: files.reduce((sum, { size }) => sum + size, 0),
    files,
    ...changes,
  })
}

type SinglePartTicket = CallResponse<'POST /api/files/get-upload-url'> & { parts?: undefined }

/** Builds the server's response to the start of an upload that isn't sent in parts. */
export function uploadTicket(changes: Partial<SinglePartTicket> = {}): SinglePartTicket {
  return {
    uploadUrl: '/storage',
    cloudKey: 'key',
    shortCode: 'abcdefghjk',
    metadata: {
      originalName: 'notes.txt',
      mimeType: 'text/plain',
      size: 1000,
      expirationDays: '3',
    },
    checksum: 'crc32',
    store: 'disk',
    computesSha256: true,
    ...changes,
  }
}

/** Builds a link like the one that the server returns when it starts, without its files. */
export function sharedLink(): Link {
  return listedLink({ shortCode: 'abcdefghjk', state: 'uploading', files: [] })
}

/** Builds the error from a failed call. If the status is null, there was no response. */
export function callError(
  status: number | null,
  code: string | null = null,
  message: string | null = null,
): CallError {
  return { status, code, message }
}

/** The error message for a free user who already has the maximum of three files. */
export const tierFullMessage = errorTable.TIER_FILE_COUNT.message

/** Creates a file of `bytes` zero bytes, like one that the user has chosen. */
export function fakeFile(name: string, bytes = 10, type = 'text/plain'): File {
  return new File([new Uint8Array(bytes)], name, { type, lastModified: 1_700_000_000_000 })
}

export function handleFor(file: File): FileSystemFileHandle {
  return { getFile: async () => file } as FileSystemFileHandle
}
