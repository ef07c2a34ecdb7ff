import { expect, test } from 'vitest'
import { uploadTicket } from '../../../../tests/support/upload-fixtures.ts'
import { browserTimers } from '../timers.ts'
import type { TransferJob } from '../upload-ports.ts'
import { putBytes, type TransferDeps } from './put-bytes.ts'
import type { StorageRequest, StorageResponse } from './storage-request.ts'

const { signal } = new AbortController()

function responseWith(
  status: number,
  code: string | null = null,
  uploadOffset: number | null = null,
): StorageResponse {
  return { kind: 'response', status, code, uploadOffset, retryAfterMs: null }
}

/** Sends 5 bytes from offset 3 of a 10-byte file. Storage responds with `response`. */
function putPiece(
  response: StorageResponse,
  changes: Partial<TransferJob> = {},
  isRemainder = false,
) {
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
  const piece = { url: '/part', offset: 3, size: 5, isRemainder, stallMs: 30_000, signal }
  return { requests, result: putBytes(job, { ...piece, onSent: () => undefined }, deps) }
}

test('a body is sent with its type, its checksum and a timeout of ten minutes', async () => {
  const { requests, result } = putPiece(responseWith(200))
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
  const { requests } = putPiece(responseWith(200), { ticket: uploadTicket({ checksum: 'md5' }) })
  await expect.poll(() => requests[0]?.headers).toMatchObject({ 'Content-MD5': 'abc=' })
})

test('the rest of a file is sent with its range and without a checksum', async () => {
  const { requests } = putPiece(responseWith(200), {}, true)
  await expect
    .poll(() => requests[0]?.headers)
    .toEqual({ 'Content-Type': 'video/mp4', Range: 'bytes=3-' })
})

test.each([responseWith(204), responseWith(409, 'UPLOAD_SEALED')])(
  '%o counts as stored',
  async (response) => {
    expect(await putPiece(response).result).toBeNull()
  },
)

test.each<StorageResponse>([
  { kind: 'network' },
  { kind: 'timeout' },
  { kind: 'stalled' },
  responseWith(408),
  responseWith(429),
  responseWith(500),
  responseWith(503, 'DISK_FULL'),
  responseWith(400, 'RequestTimeout'),
  responseWith(400, 'IncompleteBody'),
  responseWith(400, 'UPLOAD_INCOMPLETE'),
  responseWith(409, 'UPLOAD_SUPERSEDED'),
  responseWith(409, 'CHECKSUM_MISMATCH'),
  responseWith(400, 'BadDigest'),
  responseWith(400, 'XAmzContentChecksumMismatch'),
  responseWith(403, 'SIGNATURE_EXPIRED'),
  responseWith(416, null, 7),
])('%o allows another attempt', async (response) => {
  expect(await putPiece(response).result).toBe(response)
})

test.each([
  [responseWith(404, 'NoSuchUpload'), 'gone'],
  [responseWith(410), 'gone'],
  [responseWith(400), 'status'],
  [responseWith(401), 'status'],
  [responseWith(409, 'SIZE_MISMATCH'), 'status'],
  [responseWith(413), 'status'],
  [responseWith(416), 'status'],
  [responseWith(501), 'status'],
  [responseWith(201), 'status'],
  [responseWith(301), 'status'],
])('%o fails as %s', async (response, kind) => {
  await expect(putPiece(response).result).rejects.toMatchObject({ kind, status: response.status })
})

test('a file that changes or is removed during the transfer fails as unreadable', async () => {
  const file = new Blob(['0123456789'])
  file.slice = () => file
  file.arrayBuffer = () => Promise.reject(new DOMException('changed', 'NotReadableError'))
  const resultPromise = putPiece({ kind: 'network' }, { file }).result
  await expect(resultPromise).rejects.toMatchObject({ kind: 'unreadable' })
})
