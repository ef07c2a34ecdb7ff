import { formatSize } from '../../shared/rules/format/file-size.ts'
import { call } from '../api/call.ts'
import { type Send, type StorageAnswer, sendByXhr } from '../uploads/transfer/storage-request.ts'

/** How many bytes a test upload sends. */
export const testUploadBytes = 1024 ** 2

const testFileType = 'application/octet-stream'
const testTimeoutMs = 60_000
const reachTimeoutMs = 10_000

/** The result of a maintenance action, in words for the administrator. */
export interface ActOutcome {
  /** null if nobody knows whether it succeeded. */
  ok: boolean | null
  /** What the action did, in figures. After a failure, it says what failed. */
  text: string
  /** More about the result, or what to do about a failure. */
  note?: string
}

/** What a test upload needs from the browser and the server. */
export interface UploadWorld {
  /** Asks the server for the presigned URL. */
  start: (file: { fileName: string; fileSize: number; fileType: string }) => Promise<{
    uploadUrl: string
  }>
  send: Send
  isOnline: () => boolean
  /** Tells whether anything answers at this origin, even if the page may not read the answer. */
  isReachable: (origin: string) => Promise<boolean>
  /** The origin of this page. */
  origin: string
  /**
   * Returns the milliseconds since an arbitrary moment. The difference of two results is a
   * duration.
   */
  now: () => number
}

/** Returns the functions of the real browser and the real server. */
export function thisBrowser(): UploadWorld {
  return {
    start: (body) => call('testStorageUpload', { body }),
    send: sendByXhr,
    isOnline: () => navigator.onLine,
    isReachable: (origin) =>
      fetch(origin, {
        mode: 'no-cors',
        cache: 'no-store',
        credentials: 'omit',
        signal: AbortSignal.timeout(reachTimeoutMs),
      }).then(
        () => true,
        () => false,
      ),
    origin: window.location.origin,
    now: () => performance.now(),
  }
}

/**
 * Tests an upload in the way browsers upload files: it sends 1 MB to a presigned URL by PUT
 * (spec §2, §7). The server removes the bytes within the hour.
 * @param onSent is called from time to time with the number of bytes that were sent so far.
 * @throws {ApiError} or {NetworkError} if the server gave no presigned URL.
 */
export async function testUpload(
  world: UploadWorld,
  onSent: (bytes: number) => void,
): Promise<ActOutcome> {
  const file = { fileName: 'storage-test.bin', fileSize: testUploadBytes, fileType: testFileType }
  const { uploadUrl } = await world.start(file)
  const url = new URL(uploadUrl, world.origin)
  const begin = world.now()
  const answer = await world.send({
    method: 'PUT',
    url: url.href,
    headers: { 'content-type': testFileType },
    body: new Blob([new Uint8Array(testUploadBytes)]),
    timeoutMs: testTimeoutMs,
    signal: new AbortController().signal,
    onSent,
  })
  if (answer.kind === 'answer' && (answer.status === 200 || answer.status === 204)) {
    return { ok: true, text: sentText(testUploadBytes, world.now() - begin) }
  }
  const isForeign = url.origin !== world.origin
  const isOnline = world.isOnline()
  const asks = answer.kind === 'network' && isForeign && isOnline
  const isReachable = asks && (await world.isReachable(url.origin))
  return uploadFailure(answer, { url, page: world.origin, isOnline, isReachable })
}

/** Says how many bytes were sent in how many seconds. Example: '1 MB sent in 0.4 s'. */
export function sentText(bytes: number, ms: number): string {
  return `${formatSize(bytes)} sent in ${(Math.max(ms, 100) / 1000).toFixed(1)} s`
}

/** Where a test upload sent the bytes, and what the browser knows about the connection. */
interface UploadFacts {
  url: URL
  /** The origin of the page. */
  page: string
  isOnline: boolean
  /**
   * Whether the storage answers at all, even if the page may not read the answer. False also where
   * `testUpload` did not find that out.
   */
  isReachable: boolean
}

/** Says why the bytes did not arrive (spec §8), and what the administrator should do. */
function uploadFailure(answer: StorageAnswer, facts: UploadFacts): ActOutcome {
  const isOwn = isThisServer(facts)
  // Spec §8 has texts with S3 and texts without. A server that stores files itself has no S3.
  const text = isOwn ? 'Upload failed' : 'Direct S3 upload failed'
  if (answer.kind !== 'answer') {
    return { ok: false, text, note: noAnswerNote(answer.kind, facts) }
  }
  const { status, code } = answer
  return {
    ok: false,
    text: `${text} with status ${status}`,
    note: `Storage refused the bytes${code === null ? '' : ` (${code})`}. ${isOwn ? ownStatusCure(status) : statusCure(status)}`,
  }
}

/** Tells whether the server of this page stores the bytes itself. Otherwise a bucket does. */
function isThisServer({ url, page }: UploadFacts): boolean {
  return url.origin === page
}

/** Says what to do when the server of this page answers with this status. */
function ownStatusCure(status: number): string {
  if (status === 403) {
    return 'This server stores the files itself and refused its own URL. Compare the clocks and AUTH_SECRET of all servers, check whether a proxy changes the address, and check write permission in DATA_DIR.'
  }
  if (status >= 500) {
    return 'Check write permission and free space in DATA_DIR, then try again.'
  }
  return otherCure
}

const otherCure = 'Test the storage connection for details.'

/**
 * Says what to do when a bucket answers with this status. Status 403 mostly means that the key may
 * not write.
 */
function statusCure(status: number): string {
  if (status === 403) {
    return 'The key probably lacks write permission: allow s3:PutObject on the bucket. Also compare the clocks of server and storage.'
  }
  if (status >= 500) return 'Check that the storage is running and has free space, then try again.'
  return otherCure
}

function noAnswerNote(kind: 'network' | 'timeout' | 'stalled', facts: UploadFacts): string {
  const { url, page, isOnline, isReachable } = facts
  if (!isOnline) return 'This browser is offline. Connect it to the network, then try again.'
  if (kind !== 'network') {
    return `${url.host} did not take the bytes within ${testTimeoutMs / 1000} s. Check the network between this browser and the storage.`
  }
  if (isReachable) {
    return `${url.host} answers, but this page may not read the answer. Allow the origin ${page} with the methods PUT, GET and HEAD and the headers content-type and content-md5 in the CORS rule of the bucket. If it does already, the storage refused the upload: ${statusCure(403)} See the check CORS.`
  }
  if (isThisServer(facts)) return 'The connection was cut. Check your network, then try again.'
  return `${url.host} cannot be reached from this browser. Check the name and the certificate (S3_PUBLIC_ENDPOINT), and any firewall in between.`
}
