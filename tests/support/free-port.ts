import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'

/** This range is below the ephemeral ports and above the ports that most services use. */
const range = [20_000, 32_000] as const

/**
 * Returns a free local port. It comes from a rarely used range, so that it stays free until the
 * server starts, and again while the server restarts.
 */
export async function findFreePort(): Promise<number> {
  for (;;) {
    const port = randomInt(...range)
    const probeServer = createServer().listen(port, '127.0.0.1')
    const isFree = await once(probeServer, 'listening').then(
      () => true,
      () => false,
    )
    if (!isFree) continue
    await new Promise((resolve) => probeServer.close(resolve))
    return port
  }
}
