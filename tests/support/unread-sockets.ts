import { connect, type Socket } from 'node:net'

/** Connections of a client that asks and never reads what it is answered. */
export interface UnreadSockets {
  /** Sends more on each of them. */
  send(text: string): void
  /** Leaves, as a client does whose machine goes away. */
  leave(): void
}

/** Opens connections on each of which this text is sent, and nothing is read. */
export async function askWithoutReading(
  url: string,
  textOf: (index: number) => string,
  sockets = 1,
): Promise<UnreadSockets> {
  const { hostname, port } = new URL(url)
  const all = await Promise.all(
    Array.from({ length: sockets }, (_, index) => ask(hostname, Number(port), textOf(index))),
  )
  return {
    send: (text) => {
      for (const socket of all) socket.write(text)
    },
    leave: () => {
      for (const socket of all) socket.resetAndDestroy()
    },
  }
}

/** Resolves when the server has let it in. A socket that is not read does not tell when it is cut. */
function ask(hostname: string, port: number, text: string): Promise<Socket> {
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

/** A GET as it stands on the wire. */
export function getRequest(url: string, headers: Record<string, string> = {}): string {
  const { host, pathname, search } = new URL(url)
  const lines = Object.entries({ Host: host, ...headers }).map(
    ([name, value]) => `${name}: ${value}`,
  )
  return `GET ${pathname}${search} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`
}
