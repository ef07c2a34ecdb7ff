import { createHash } from 'node:crypto'
import { text } from 'node:stream/consumers'
import * as zlib from 'node:zlib'
import type { Checksums } from '../web/uploads/transfer/checksums.ts'
import {
  parseErrorCode,
  responseStallFactor,
  type Send,
} from '../web/uploads/transfer/storage-request.ts'
import { retryAfterMs, sendRequest } from './api.ts'

/** Implements `Send` for a file on disk. */
export const sendToStorage: Send = async (request) => {
  const { method, url, body, timeoutMs, stallMs = timeoutMs, onSent } = request
  const timeout = AbortSignal.timeout(timeoutMs)
  async function* readBody() {
    let sentBytes = 0
    for await (const chunk of body?.stream() ?? []) {
      yield chunk
      sentBytes += chunk.length
      onSent?.(sentBytes)
    }
  }
  try {
    const signal = AbortSignal.any([request.signal, timeout])
    const options = { method, signal, timeout: stallMs * responseStallFactor }
    const headers = { ...request.headers, ...(body && { 'content-length': body.size }) }
    const sent = body && { body: readBody() }
    const response = await sendRequest(new URL(url), { ...options, headers, ...sent })
    const { statusCode: status = 0 } = response
    const errorCode = response.headers['x-error-code']?.toString()
    const code = parseErrorCode(await text(response)) ?? errorCode ?? null
    const offset = response.headers['upload-offset']
    const uploadOffset = offset === undefined ? null : Number(offset)
    const kind = 'response' as const
    return { kind, status, code, uploadOffset, retryAfterMs: retryAfterMs(response) }
  } catch {
    request.signal.throwIfAborted()
    return { kind: timeout.aborted ? 'timeout' : 'network' }
  }
}

/** Computes a part's checksum. The CRC-32 is null before Node 20.15. */
export const partChecksum: Checksums['part'] = async (part, checksum) => {
  const bytes = Buffer.from(await part.arrayBuffer())
  if (checksum === 'md5') return createHash('md5').update(bytes).digest('base64')
  if (!zlib.crc32) return null
  const hex = zlib.crc32(bytes).toString(16).padStart(8, '0')
  return Buffer.from(hex, 'hex').toString('base64')
}
