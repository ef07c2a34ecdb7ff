import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'

/** Systems give outgoing connections higher ports, and most programs listen on lower ones. */
const range = [20_000, 32_000] as const

/**
 * Returns a random port of 127.0.0.1 on which nothing listens. Its range is seldom used by others.
 * So the port should stay free until it is used, and while a server is restarted on it.
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
