import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'

/** Below what systems take for the near ends of connections, and above what programs usually listen on. */
const range = [20_000, 32_000] as const

/**
 * A port of 127.0.0.1 on which nothing listens. Chosen by chance and from a range of its own, so that
 * no connection and no other test takes it before it is used, or while a server is started again.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(...range)
    const probe = createServer().listen(port, '127.0.0.1')
    const isFree = await once(probe, 'listening').then(
      () => true,
      () => false,
    )
    if (!isFree) continue
    await new Promise((resolve) => probe.close(resolve))
    return port
  }
}
