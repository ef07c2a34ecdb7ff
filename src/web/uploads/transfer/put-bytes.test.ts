import { expect, test } from 'vitest'
import { uploadTicket } from '../../../../tests/support/upload-fixtures.ts'
import { browserTimers } from '../timers.ts'
import type { TransferJob } from '../upload-ports.ts'
import { putBytes, type TransferDeps } from './put-bytes.ts'
import type { StorageRequest, StorageResponse } from './storage-request.ts'

const { signal } = new AbortController()

function makeResponse(
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
    signal,
    onProgress: () => undefined,
    onInterrupted: () => undefined,
    ...changes,
  }
  const piece = { url: '/part', offset: 3, size: 5, isRemainder, stallMs: 30_000, signal }
  return { requests, result: putBytes(job, { ...piece, onSent: () => undefined }, deps) }
}

test('a body is sent with its type, its checksum and a timeout of ten minutes', async () => {
  const { requests, result } = putPiece(makeResponse(200))
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
  const { requests } = putPiece(makeResponse(200), { ticket: uploadTicket({ checksum: 'md5' }) })
  await expect.poll(() => requests[0]?.headers).toMatchObject({ 'Content-MD5': 'abc=' })
})

test('the rest of a file is sent with its range and without a checksum', async () => {
  const { requests } = putPiece(makeResponse(200), {}, true)
  await expect
    .poll(() => requests[0]?.headers)
    .toEqual({ 'Content-Type': 'video/mp4', Range: 'bytes=3-' })
})

test.each([makeResponse(204), makeResponse(409, 'UPLOAD_SEALED')])(
  '%o counts as stored',
  async (response) => {
    expect(await putPiece(response).result).toBeNull()
  },
)

test.each<StorageResponse>([
  { kind: 'network' },
  { kind: 'timeout' },
  { kind: 'stalled' },
  makeResponse(408),
  makeResponse(429),
  makeResponse(500),
  makeResponse(503, 'DISK_FULL'),
  makeResponse(400, 'RequestTimeout'),
  makeResponse(400, 'IncompleteBody'),
  makeResponse(400, 'UPLOAD_INCOMPLETE'),
  makeResponse(409, 'UPLOAD_SUPERSEDED'),
  makeResponse(409, 'CHECKSUM_MISMATCH'),
  makeResponse(400, 'BadDigest'),
  makeResponse(400, 'XAmzContentChecksumMismatch'),
  makeResponse(403, 'SIGNATURE_EXPIRED'),
  makeResponse(416, null, 7),
])('%o allows another attempt', async (response) => {
  expect(await putPiece(response).result).toBe(response)
})

test.each([
  [makeResponse(404, 'NoSuchUpload'), 'gone'],
  [makeResponse(410), 'gone'],
  [makeResponse(400), 'status'],
  [makeResponse(401), 'status'],
  [makeResponse(409, 'SIZE_MISMATCH'), 'status'],
  [makeResponse(413), 'status'],
  [makeResponse(416), 'status'],
  [makeResponse(501), 'status'],
  [makeResponse(201), 'status'],
  [makeResponse(301), 'status'],
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
