import { formatSize } from '../../shared/rules/format/file-size.ts'
import { call } from '../api/call.ts'

/** The result of a maintenance action, as text for the administrator. */
export interface ActionOutcome {
  ok: boolean
  /** The result or error, on one line. */
  text: string
  /** Further details, or how to fix a failure. */
  note?: string
}

export const testUploadBytes = 1024 ** 2

const fileType = 'application/octet-stream'
const testTimeoutMs = 60_000
const probeTimeoutMs = 10_000

/**
 * Uploads 1 MB to a presigned URL, as browsers do (spec §2, §7). The server deletes the object
 * within an hour.
 * @throws {ApiError} or {NetworkError} if the server returned no presigned URL.
 */
export async function testUpload(): Promise<ActionOutcome> {
  const { uploadUrl } = await call('POST /api/admin/test-s3-upload', {
    body: { fileName: 'storage-test.bin', fileSize: testUploadBytes, fileType },
  })
  const url = new URL(uploadUrl, window.location.origin)
  const isOwnServer = url.origin === window.location.origin
  // Spec §8 has separate titles for S3 and for files on the server's disk.
  const failureText = isOwnServer ? 'Upload failed' : 'Direct S3 upload failed'
  const startedAt = performance.now()
  try {
    const response = await fetch(url, {
      method: 'PUT',
      headers: { 'content-type': fileType },
      body: new Blob([new Uint8Array(testUploadBytes)]),
      signal: AbortSignal.timeout(testTimeoutMs),
    })
    const { status } = response
    if (status === 200 || status === 204) {
      const secondsText = Math.max(0.1, (performance.now() - startedAt) / 1000).toFixed(1)
      return { ok: true, text: `${formatSize(testUploadBytes)} sent in ${secondsText} s` }
    }
    // The S3 error code, such as AccessDenied.
    const errorCode = /<Code>(\w+)<\/Code>/.exec(await response.text())?.[1]
    const remedy = isOwnServer ? ownServerRemedy(status) : bucketRemedy(status)
    const note = `Storage refused the bytes${errorCode ? ` (${errorCode})` : ''}. ${remedy}`
    return { ok: false, text: `${failureText} with status ${status}`, note }
  } catch {
    return { ok: false, text: failureText, note: await noResponseRemedy(url, isOwnServer) }
  }
}

function ownServerRemedy(status: number): string {
  return status === 403
    ? 'This server stores the files itself and refused its own URL. Compare the clocks and AUTH_SECRET of all servers, check whether a proxy changes the address, and check write permission in DATA_DIR.'
    : 'Check write permission and free space in DATA_DIR, then try again.'
}

function bucketRemedy(status: number): string {
  return status === 403
    ? 'The key probably lacks write permission: allow s3:PutObject on the bucket. Also compare the clocks of server and storage.'
    : 'Check that the storage is running and has free space. Test the storage connection for details.'
}

/**
 * Says how to fix an upload that got no response: either storage is unreachable, or CORS blocked
 * the response.
 */
async function noResponseRemedy({ host, origin }: URL, isOwnServer: boolean): Promise<string> {
  if (isOwnServer) return 'The connection was lost. Check your network, then try again.'
  const isReachable = await fetch(origin, {
    mode: 'no-cors',
    cache: 'no-store',
    credentials: 'omit',
    signal: AbortSignal.timeout(probeTimeoutMs),
  }).then(
    () => true,
    () => false,
  )
  return isReachable
    ? `${host} answers, but this page may not read the answer. Allow the origin ${window.location.origin} with the methods PUT, GET and HEAD and the headers content-type and content-md5 in the CORS rule of the bucket. If it does already, the storage refused the upload: ${bucketRemedy(403)} See the check CORS.`
    : `${host} cannot be reached from this browser. Check your network, the name and the certificate (S3_PUBLIC_ENDPOINT), and any firewall in between.`
}
