import { AppError } from '../../errors.ts'
import type { ReceivedBody } from '../storage.ts'

/**
 * Yields the chunks of a request's body. Calls `onSize` with the number of bytes so far.
 * @throws {AppError} UPLOAD_INCOMPLETE if the client disconnects; FILE_TOO_LARGE for more than
 * `maxSize` bytes.
 */
export async function* receiveChunks(
  { request, response, onReceived }: ReceivedBody,
  maxSize: number,
  onSize: (size: number) => void,
): AsyncGenerator<Buffer, void> {
  if (request.headers.expect !== undefined) response.writeContinue()
  let size = 0
  try {
    // Keep the connection open for the response, even if the body is refused.
    for await (const chunk of request.iterator({ destroyOnReturn: false })) {
      size += chunk.length
      if (size > maxSize) throw new AppError('FILE_TOO_LARGE')
      await onReceived(chunk.length)
      onSize(size)
      yield chunk
    }
  } catch (cause) {
    if (cause instanceof AppError || request.complete) throw cause
    throw new AppError('UPLOAD_INCOMPLETE', { cause })
  }
}
