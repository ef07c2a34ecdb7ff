import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'

/** Systems use higher ports for outgoing connections, and most programs listen on lower ones. */
const range = [20_000, 32_000] as const

/**
 * Returns a random port of 127.0.0.1 that is free. Other programs rarely use this range of ports.
 * So the port should still be free when the server is started, and when it is restarted.
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
