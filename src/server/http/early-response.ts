import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AppError } from '../errors.ts'

const lingerBytes = 16 * 1024 * 1024
const lingerMs = 5000

/** A response that doesn't depend on the request body. */
interface EarlyResponse {
  status: number
  headers: Readonly<Record<string, string | number>>
  body: string
}

/** Like `sendEarlyResponse`, but for an error: sends its status, headers and JSON body. */
export async function sendEarlyError(
  request: IncomingMessage,
  response: ServerResponse,
  error: AppError,
): Promise<void> {
  await sendEarlyResponse(request, response, {
    status: error.status,
    headers: {
      'Content-Type': 'application/json',
      'Cache-Control': 'no-store',
      'X-Content-Type-Options': 'nosniff',
      ...error.headersFor(request.method),
    },
    body: JSON.stringify(error.body),
  })
}

/**
 * Answers a request whose body may still be arriving, and discards the body. Resolves when the
 * response has been sent. If another response has begun, destroys the connection, so that the
 * client can't mistake the truncated response for a complete one.
 */
export async function sendEarlyResponse(
  request: IncomingMessage,
  response: ServerResponse,
  { status, headers, body }: EarlyResponse,
): Promise<void> {
  if (response.destroyed) return
  if (response.headersSent) {
    response.destroy()
    return
  }
  const isBodyArriving = hasBody(request) && !request.complete
  response.writeHead(status, {
    'Content-Length': Buffer.byteLength(body),
    ...(isBodyArriving && { Connection: 'close' }),
    ...headers,
  })
  if (request.method !== 'HEAD') response.write(body)
  // Closing the connection while bytes are still arriving would reset it, and browsers would report
  // a network error instead of the status.
  if (isBodyArriving) await linger(request)
  response.end()
}

function hasBody(request: IncomingMessage): boolean {
  const { 'transfer-encoding': coding, 'content-length': length } = request.headers
  return coding !== undefined || Number(length ?? 0) > 0
}

/** Discards incoming data until a byte limit or a time limit is reached. */
function linger(request: IncomingMessage): Promise<void> {
  return new Promise((resolve) => {
    if (request.destroyed) {
      resolve()
      return
    }
    let droppedBytes = 0
    const discardChunk = (chunk: Buffer) => {
      droppedBytes += chunk.length
      if (droppedBytes > lingerBytes) stop()
    }
    const stop = () => {
      clearTimeout(timer)
      request.off('data', discardChunk).off('end', stop).off('close', stop)
      request.pause()
      resolve()
    }
    const timer = setTimeout(stop, lingerMs)
    request.on('data', discardChunk).on('end', stop).on('close', stop)
    request.resume()
  })
}
