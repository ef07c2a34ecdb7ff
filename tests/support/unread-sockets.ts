import { connect, type Socket } from 'node:net'

/** Connections from a client that never reads the server's responses. */
export interface UnreadSockets {
  send(text: string): void
  /** Resets all connections, as if the client had crashed. */
  reset(): void
}

/** Opens connections and sends this text over each of them. The responses are never read. */
export async function sendWithoutReading(
  url: string,
  makeText: (index: number) => string,
  connectionCount = 1,
): Promise<UnreadSockets> {
  const { hostname, port } = new URL(url)
  const openSockets = await Promise.all(
    Array.from({ length: connectionCount }, (_, index) =>
      connectAndSend(hostname, Number(port), makeText(index)),
    ),
  )
  return {
    send: (text) => {
      for (const socket of openSockets) socket.write(text)
    },
    reset: () => {
      for (const socket of openSockets) socket.resetAndDestroy()
    },
  }
}

/**
 * Connects and sends the text. Also resolves if the server refuses the connection. Because nothing
 * reads from the socket, it doesn't notice when the server closes it.
 */
function connectAndSend(hostname: string, port: number, text: string): Promise<Socket> {
  return new Promise((resolve) => {
    const socket: Socket = connect(port, hostname, () => {
      socket.write(text)
      resolve(socket)
    })
    socket.pause()
    socket.on('error', () => undefined)
    socket.on('close', () => resolve(socket))
  })
}

export function getRequest(url: string, headers: Record<string, string> = {}): string {
  const { host, pathname, search } = new URL(url)
  const lines = Object.entries({ Host: host, ...headers }).map(
    ([name, value]) => `${name}: ${value}`,
  )
  return `GET ${pathname}${search} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`
}
