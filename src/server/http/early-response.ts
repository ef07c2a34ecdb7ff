import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AppError } from '../errors.ts'

const lingerBytes = 16 * 1024 * 1024
const lingerMs = 5000

/** An answer that does not depend on the body of the request. */
interface EarlyAnswer {
  status: number
  headers: Readonly<Record<string, string | number>>
  body: string
}

/**
 * Answers with the status of the error table and a `{message, code}` body. An answer to HEAD has no
 * body, but a header with the code. Resolves when the answer has been sent. If the headers of
 * another answer were sent already, it cuts the connection, so that the client does not take half
 * an answer for a whole one.
 */
export async function sendEarlyError(
  request: IncomingMessage,
  response: ServerResponse,
  refusal: AppError,
): Promise<void> {
  await sendEarlyResponse(request, response, {
    status: refusal.status,
    headers: {
      'Content-Type': 'application/json',
      'Cache-Control': 'no-store',
      'X-Content-Type-Options': 'nosniff',
      ...refusal.headersFor(request.method),
    },
    body: JSON.stringify(refusal.body),
  })
}

/**
 * Answers a request whose body may still be arriving, and ignores the body. Resolves when the
 * answer has been sent. If the headers of another answer have already been sent, it cuts the
 * connection.
 */
export async function sendEarlyResponse(
  request: IncomingMessage,
  response: ServerResponse,
  { status, headers, body }: EarlyAnswer,
): Promise<void> {
  if (response.destroyed) return
  if (response.headersSent) {
    response.destroy()
    return
  }
  const bodyIsArriving = hasBody(request) && !request.complete
  response.writeHead(status, {
    'Content-Length': Buffer.byteLength(body),
    ...(bodyIsArriving && { Connection: 'close' }),
    ...headers,
  })
  if (request.method !== 'HEAD') response.write(body)
  // If the connection were closed while bytes still arrive, it would be reset, and a browser would
  // report a network error in place of the status. So the client gets some time to read the answer.
  if (bodyIsArriving) await linger(request)
  response.end()
}

function hasBody(request: IncomingMessage): boolean {
  const { 'transfer-encoding': coding, 'content-length': length } = request.headers
  return coding !== undefined || Number(length ?? 0) > 0
}

/** Reads and drops what a refused client still sends, up to a limit of bytes and time. */
function linger(request: IncomingMessage): Promise<void> {
  return new Promise((resolve) => {
    if (request.destroyed) {
      resolve()
      return
    }
    let dropped = 0
    const drop = (chunk: Buffer) => {
      dropped += chunk.length
      if (dropped > lingerBytes) stop()
    }
    const stop = () => {
      clearTimeout(timer)
      request.off('data', drop).off('end', stop).off('close', stop)
      request.pause()
      resolve()
    }
    const timer = setTimeout(stop, lingerMs)
    request.on('data', drop).on('end', stop).on('close', stop)
    request.resume()
  })
}
