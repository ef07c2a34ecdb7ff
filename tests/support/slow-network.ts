import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { makeNetworkDirection } from './network-direction.ts'

export interface NetworkSettings {
  /** The data rate in each direction, which all connections share. */
  bytesPerSecond: number
  /** The one-way latency. */
  delayMs: number
}

export interface SlowNetwork {
  /** The origin that clients use. */
  url: string
  /** Makes the network forward all connections to this local port. */
  forwardTo(port: number): void
  /** Returns how many bytes have been delivered to the server (`up`) and to the client (`down`). */
  deliveredBytes(): { up: number; down: number }
  close(): Promise<void>
}

/**
 * Starts a simulated network, which forwards nothing until `forwardTo` is called. All connections
 * share its data rate. Bytes in excess of the rate wait in a bounded queue, and once that is full,
 * at the sender. Opening a connection takes a round trip. There is no packet loss and no slow
 * start.
 */
export async function startSlowNetwork(settings: NetworkSettings): Promise<SlowNetwork> {
  let targetPort = 0
  const upDirection = makeNetworkDirection(settings)
  const downDirection = makeNetworkDirection(settings)
  const sockets = new Set<Socket>()
  const trackSocket = (socket: Socket) => {
    sockets.add(socket)
    socket.setNoDelay(true)
    socket.once('close', () => sockets.delete(socket))
    socket.on('error', () => socket.destroy())
  }
  const server = createServer({ allowHalfOpen: true }, (clientSocket) => {
    const serverSocket = connect({ port: targetPort, host: '127.0.0.1', allowHalfOpen: true })
    trackSocket(clientSocket)
    trackSocket(serverSocket)
    upDirection.pipe(clientSocket, serverSocket, 2 * settings.delayMs)
    downDirection.pipe(serverSocket, clientSocket, 0)
    clientSocket.once('close', () => serverSocket.destroy())
    serverSocket.once('close', () => clientSocket.destroySoon())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    forwardTo(port) {
      targetPort = port
    },
    deliveredBytes: () => ({
      up: upDirection.deliveredBytes(),
      down: downDirection.deliveredBytes(),
    }),
    async close() {
      for (const socket of sockets) socket.destroy()
      upDirection.close()
      downDirection.close()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
