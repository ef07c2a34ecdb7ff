import { expect, test } from 'vitest'
import { uploadTicket } from '../../../../tests/support/upload-fixtures.ts'
import { browserTimers } from '../timers.ts'
import type { TransferJob } from '../upload-ports.ts'
import { putBytes, type TransferDeps } from './put-bytes.ts'
import type { StorageRequest, StorageResponse } from './storage-request.ts'

const { signal } = new AbortController()

function answered(
  status: number,
  code: string | null = null,
  uploadOffset: number | null = null,
): StorageResponse {
  return { kind: 'response', status, code, uploadOffset, retryAfterMs: null }
}

/** Sends 5 bytes from offset 3 of a 10-byte file. Storage responds with `answer`. */
function put(response: StorageResponse, changes: Partial<TransferJob> = {}, isRest = false) {
  const requests: StorageRequest[] = []
  const deps: TransferDeps = {
    send: async (request) => {
      requests.push(request)
      return response
    },
    checksums: { part: async () => 'abc=' },
    timers: browserTimers,
    connection: { isOnline: () => true, waitUntilOnline: async () => undefined },
    wait: async () => undefined,
    random: () => 0,
    isServerReady: async () => true,
  }
  const job: TransferJob = {
    file: new Blob(['0123456789']),
    ticket: uploadTicket(),
    contentType: 'video/mp4',
    storedParts: [],
    hasOriginalDate: true,
    isResumed: false,
    partUrls: {},
    signal,
    onProgress: () => undefined,
    onInterrupted: () => undefined,
    ...changes,
  }
  const piece = { url: '/part', offset: 3, size: 5, isRest, stallMs: 30_000, signal }
  return { requests, result: putBytes(job, { ...piece, onSent: () => undefined }, deps) }
}

test('a body is sent with its type, its checksum and a timeout of ten minutes', async () => {
  const { requests, result } = put(answered(200))
  expect(await result).toBeNull()
  expect(requests[0]).toMatchObject({
    method: 'PUT',
    headers: { 'Content-Type': 'video/mp4', 'x-amz-checksum-crc32': 'abc=' },
    timeoutMs: 600_000,
    stallMs: 30_000,
  })
  expect(await requests[0]?.body?.text()).toBe('34567')
})

test('the ticket determines the checksum algorithm', async () => {
  const { requests } = put(answered(200), { ticket: uploadTicket({ checksum: 'md5' }) })
  await expect.poll(() => requests[0]?.headers).toMatchObject({ 'Content-MD5': 'abc=' })
})

test('the rest of a file is sent with its range and without a checksum', async () => {
  const { requests } = put(answered(200), {}, true)
  await expect
    .poll(() => requests[0]?.headers)
    .toEqual({ 'Content-Type': 'video/mp4', Range: 'bytes=3-' })
})

test.each([answered(204), answered(409, 'UPLOAD_SEALED')])('%o means stored', async (response) => {
  expect(await put(response).result).toBeNull()
})

test.each<StorageResponse>([
  { kind: 'network' },
  { kind: 'timeout' },
  { kind: 'stalled' },
  answered(408),
  answered(429),
  answered(500),
  answered(503, 'DISK_FULL'),
  answered(400, 'RequestTimeout'),
  answered(400, 'IncompleteBody'),
  answered(400, 'UPLOAD_INCOMPLETE'),
  answered(409, 'UPLOAD_SUPERSEDED'),
  answered(409, 'CHECKSUM_MISMATCH'),
  answered(400, 'BadDigest'),
  answered(400, 'XAmzContentChecksumMismatch'),
  answered(403, 'SIGNATURE_EXPIRED'),
  answered(416, null, 7),
])('%o allows another attempt', async (response) => {
  expect(await put(response).result).toBe(response)
})

test.each([
  [answered(404, 'NoSuchUpload'), 'gone'],
  [answered(410), 'gone'],
  [answered(400), 'status'],
  [answered(401), 'status'],
  [answered(409, 'SIZE_MISMATCH'), 'status'],
  [answered(413), 'status'],
  [answered(416), 'status'],
  [answered(501), 'status'],
  [answered(201), 'status'],
  [answered(301), 'status'],
])('%o fails as %s', async (response, kind) => {
  await expect(put(response).result).rejects.toMatchObject({ kind, status: response.status })
})

test('a file that changes or is removed during the transfer fails as unreadable', async () => {
  const file = new Blob(['0123456789'])
  file.slice = () => file
  file.arrayBuffer = () => Promise.reject(new DOMException('changed', 'NotReadableError'))
  const failing = put({ kind: 'network' }, { file }).result
  await expect(failing).rejects.toMatchObject({ kind: 'unreadable' })
})
