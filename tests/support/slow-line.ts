import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { makeLineDirection } from './line-direction.ts'

export interface LineSettings {
  /** What the line carries each way, all connections together. */
  bytesPerSecond: number
  /** How long each byte is under way, in one direction. Half the round trip. */
  delayMs: number
}

/** A long or slow line between two ends on this machine: it limits the rate and takes its time. */
export interface SlowLine {
  /** The origin that clients open. */
  url: string
  /** To which port of this machine everything goes. */
  forwardTo(port: number): void
  /** The bytes that have left the line at the far end, and at the near one. */
  carried(): { up: number; down: number }
  close(): Promise<void>
}

/**
 * Starts a line that leads nowhere yet. It is a relay of TCP connections: each direction has a rate
 * that its connections share fairly, and a delay; what does not fit on it waits in a queue with an
 * end, and in front of that in the sender's own buffers. A connection carries nothing until it has
 * been under way once to and fro, as opening one takes. Packets are not lost and nothing starts
 * slowly: it is a line that TCP has already filled.
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
