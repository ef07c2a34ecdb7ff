import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { makeLineDirection } from './line-direction.ts'

export interface LineSettings {
  /** How many bytes each direction carries per second, for all connections together. */
  bytesPerSecond: number
  /** How many milliseconds each byte needs in one direction. A round trip takes twice as long. */
  delayMs: number
}

/**
 * A simulated network line between two ends on this machine. It limits the rate and delays each
 * byte.
 */
export interface SlowLine {
  /** The origin that clients open. */
  url: string
  /** Carries all connections to this port of this machine from now on. */
  forwardTo(port: number): void
  /** Returns how many bytes have arrived at the server (`up`) and at the client (`down`). */
  carried(): { up: number; down: number }
  close(): Promise<void>
}

/**
 * Starts a simulated line, which carries nothing until `forwardTo` is called. It relays TCP
 * connections. Each direction has a delay, and a rate that its connections share equally. Bytes
 * beyond the rate wait in a limited queue, and then in the sender's own buffers. A new connection
 * carries nothing for one round trip, because opening a real one takes that long. Unlike a real
 * line, this one loses no packets and has no TCP slow start.
 */
export async function startSlowLine(settings: LineSettings): Promise<SlowLine> {
  let target = 0
  const up = makeLineDirection(settings)
  const down = makeLineDirection(settings)
  const sockets = new Set<Socket>()
  const keep = (socket: Socket) => {
    sockets.add(socket)
    socket.setNoDelay(true)
    socket.once('close', () => sockets.delete(socket))
    socket.on('error', () => socket.destroy())
  }
  const server = createServer({ allowHalfOpen: true }, (near) => {
    const far = connect({ port: target, host: '127.0.0.1', allowHalfOpen: true })
    keep(near)
    keep(far)
    up.carry(near, far, 2 * settings.delayMs)
    down.carry(far, near, 0)
    near.once('close', () => far.destroy())
    far.once('close', () => near.destroySoon())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    forwardTo(port) {
      target = port
    },
    carried: () => ({ up: up.carried(), down: down.carried() }),
    async close() {
      for (const socket of sockets) socket.destroy()
      up.close()
      down.close()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
