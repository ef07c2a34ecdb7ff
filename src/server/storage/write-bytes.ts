import type { ServerResponse } from 'node:http'

/** Writes bytes. Resolves when the kernel has accepted them or the connection has closed. */
export async function writeBytes(bytes: Buffer, response: ServerResponse): Promise<void> {
  const { socket } = response.req
  if (socket.destroyed) return
  const { promise, resolve } = Promise.withResolvers<void>()
  socket.once('close', resolve)
  response.write(bytes, () => resolve())
  await promise
  socket.off('close', resolve)
}
