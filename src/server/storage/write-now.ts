import type { ServerResponse } from 'node:http'

/** `flushed` is set unless the kernel has accepted everything. */
export interface WriteOutcome {
  sent: number
  flushed?: Promise<void>
}

/**
 * Writes bytes to the kernel immediately. Without `cork` and `uncork`, Node would delay them until
 * the next tick. `flushed` resolves when the kernel has accepted the rest or the connection closes.
 */
export function writeNow(bytes: Buffer, response: ServerResponse): WriteOutcome {
  const { socket } = response.req
  const { promise, resolve } = Promise.withResolvers<void>()
  socket.cork()
  response.write(bytes, () => resolve())
  socket.uncork()
  if (response.writableLength === 0) return { sent: bytes.length }
  socket.once('close', resolve)
  void promise.then(() => socket.off('close', resolve))
  return { sent: bytes.length, flushed: promise }
}
