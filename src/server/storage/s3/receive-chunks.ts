import { AppError } from '../../errors.ts'
import type { ReceivedBody } from '../storage.ts'

/**
 * Yields the chunks of a request's body.
 * @throws {AppError} UPLOAD_INCOMPLETE if the client disconnects; any error from `onReceived`.
 */
export async function* receiveChunks({
  request,
  response,
  onReceived,
}: ReceivedBody): AsyncGenerator<Buffer, void> {
  if (request.headers.expect !== undefined) response.writeContinue()
  try {
    // Keep the connection open for the response, even if the body is refused.
    for await (const chunk of request.iterator({ destroyOnReturn: false })) {
      await onReceived(chunk.length)
      yield chunk
    }
  } catch (cause) {
    if (cause instanceof AppError || request.complete) throw cause
    throw new AppError('UPLOAD_INCOMPLETE', { cause })
  }
}
