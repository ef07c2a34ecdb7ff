import { type FileHandle, open } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { AppError } from '../../errors.ts'
import type { ByteRange } from '../byte-range.ts'
import { writeDownloadHead } from '../download-headers.ts'
import type { DownloadGrant, OnBytes, RangeTarget } from '../storage.ts'
import { writeBytes } from '../write-bytes.ts'
import { nullIfMissing } from './file-system.ts'

/** How much of a file each download has in memory. Larger pieces wouldn't be faster. */
const pieceBytes = 128 * 1024

interface Download {
  request: IncomingMessage
  response: ServerResponse
  onBytes: OnBytes | undefined
  /** Called with the number of bytes just written, which the kernel may still have to accept. */
  onSent(count: number): void
}

/**
 * Answers a GET or HEAD with a file or a single range, honoring conditional headers (200, 206 or
 * 304). Resolves when the response has been sent or the client has disconnected.
 * @throws {AppError} LINK_NOT_FOUND if there is no such file; 412 or 416, as required by the
 * conditional headers or the range; any error from `onBytes`.
 * @throws {Error} if the file's size differs from the grant, or it can't be read.
 */
export function sendFile(path: string, grant: DownloadGrant, download: Download): Promise<void> {
  return withFile(path, async (file) => {
    assertSize(grant, (await file.stat()).size)
    if (download.response.destroyed) return
    const range = await writeDownloadHead(grant, download)
    if (range) await sendBytes(file, grant.key, range, download)
    download.response.end()
  })
}

/** Sends a range of a file, as `Storage.sendRange` does. */
export function sendFileRange(
  path: string,
  key: string,
  range: ByteRange,
  target: RangeTarget,
): Promise<void> {
  return withFile(path, (file) => sendBytes(file, key, range, target))
}

async function withFile(path: string, work: (file: FileHandle) => Promise<void>): Promise<void> {
  const file = await nullIfMissing(open(path, 'r'))
  if (file === null) throw new AppError('LINK_NOT_FOUND')
  try {
    await work(file)
  } finally {
    await file.close()
  }
}

async function sendBytes(
  file: FileHandle,
  key: string,
  { start, end }: ByteRange,
  { response, onSent }: Pick<Download, 'response' | 'onSent'>,
): Promise<void> {
  const { socket } = response.req
  const buffer = Buffer.allocUnsafeSlow(Math.min(pieceBytes, end + 1 - start))
  for (let offset = start; offset <= end && !socket.destroyed; ) {
    const length = Math.min(buffer.length, end + 1 - offset)
    const { bytesRead } = await file.read(buffer, 0, length, offset)
    if (bytesRead === 0) throw new Error(`${key} ends at ${offset}, not after ${end}`)
    if (socket.destroyed) return
    offset += bytesRead
    onSent(bytesRead)
    // Resolves once the buffer can be reused.
    await writeBytes(buffer.subarray(0, bytesRead), response)
  }
}

/** @throws {Error} if the stored size differs from the grant. */
export function assertSize(grant: Pick<DownloadGrant, 'key' | 'size'>, size: number): void {
  if (size !== grant.size) throw new Error(`${grant.key}: ${size} bytes, not ${grant.size}`)
}
