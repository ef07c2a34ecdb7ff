import { type AddressInfo, createConnection, createServer, type Socket } from 'node:net'

/** When to cut a connection that sends a certain statement. */
export const cutPoints = [
  'before Postgres receives it',
  'after Postgres ran it, before the response',
  'after the response',
] as const
export type CutPoint = (typeof cutPoints)[number]

/** What is lost first when a connection falls silent. */
export const lossKinds = ['the statement', 'the response'] as const
export type LossKind = (typeof lossKinds)[number]

/** A proxy between the server and Postgres that simulates failures. */
export interface PostgresProxy {
  /** A DATABASE_URL that connects through the proxy. */
  url: string
  /**
   * The statements sent on all connections since the last call to `clearStatements`, `cutAt` or
   * `silenceAt`.
   */
  readonly statements: readonly string[]
  clearStatements(): void
  /** Cuts the connection that sends the n-th statement from now. The next statement is number 1. */
  cutAt(n: number, point: CutPoint): void
  /** True if a connection has been cut since the last call to `cutAt`. */
  readonly wasCut: boolean
  /**
   * Silences a connection without closing it, at the n-th statement from now for which `matches`
   * returns true. Loses either that statement or the response to it, and everything that follows.
   */
  silenceAt(n: number, loss: LossKind, matches?: (statement: string) => boolean): void
  /** Silences all connections, including new ones, without closing them. */
  silence(): void
  /**
   * Forwards new connections again, and cancels a scheduled cut or silence. Connections that have
   * been silenced stay silent.
   */
  restore(): void
  /** Closes the silenced connections, as when the network finally reports the failure. */
  closeSilent(): void
  close(): Promise<void>
}

/**
 * A message in the Postgres protocol. `type` is empty if the message has none, and `bytes` contains
 * the whole message.
 */
interface Message {
  type: string
  bytes: Buffer
}

/**
 * Starts a proxy in front of Postgres. It listens on a socket, whose directory is part of its
 * `url`.
 */
export async function startPostgresProxy(databaseUrl: string): Promise<PostgresProxy> {
  const targetUrl = new URL(databaseUrl)
  const path = `${targetUrl.searchParams.get('host')}/.s.PGSQL.5432`
  const sockets = new Set<Socket>()
  let statements: string[] = []
  let pendingCut: { n: number; point: CutPoint } | null = null
  let pendingSilence: {
    remaining: number
    loss: LossKind
    matches(statement: string): boolean
  } | null = null
  let wasCut = false
  let isSilent = false
  const silentSockets = new WeakSet<Socket>()

  const isDue = (point: CutPoint) =>
    pendingCut?.point === point && statements.length >= pendingCut.n
  const onConnection = (clientSocket: Socket) => {
    const postgresSocket = createConnection(path)
    for (const socket of [clientSocket, postgresSocket]) {
      sockets.add(socket)
      socket.setNoDelay(true)
      socket.on('error', () => {})
      socket.on('close', () => {
        sockets.delete(socket)
        clientSocket.destroy()
        postgresSocket.destroy()
      })
    }
    if (isSilent) silentSockets.add(clientSocket)
    // Real connections can be closed by either a FIN or an RST, so tests use both.
    const cutNow = (method: 'end' | 'reset') => {
      pendingCut = null
      wasCut = true
      if (method === 'end') clientSocket.end()
      else clientSocket.resetAndDestroy()
      postgresSocket.destroy()
    }
    let isCutting = false
    let statement = ''
    onMessages(clientSocket, { hasStartupMessage: true }, ({ type, bytes }) => {
      if (silentSockets.has(clientSocket)) return
      statement += getSql(type, bytes)
      if (type === 'Q' || type === 'S') {
        statements.push(statement)
        if (pendingSilence?.matches(statement)) pendingSilence.remaining -= 1
        statement = ''
        if (pendingSilence?.remaining === 0) {
          const { loss } = pendingSilence
          pendingSilence = null
          silentSockets.add(clientSocket)
          if (loss === 'the statement') return
        }
        if (isDue('before Postgres receives it')) return cutNow('end')
        isCutting = pendingCut !== null && statements.length >= pendingCut.n
      }
      postgresSocket.write(bytes)
    })
    onMessages(postgresSocket, { hasStartupMessage: false }, ({ type, bytes }) => {
      if (silentSockets.has(clientSocket)) return
      const isReadyForQuery = type === 'Z'
      if (isCutting && isDue('after Postgres ran it, before the response')) {
        if (isReadyForQuery) cutNow('reset')
        return
      }
      clientSocket.write(bytes)
      if (isCutting && isReadyForQuery && isDue('after the response')) cutNow('end')
    })
  }

  const server = createServer(onConnection).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `postgres://postgres@127.0.0.1:${port}${targetUrl.pathname}`,
    get statements() {
      return statements
    },
    clearStatements() {
      statements = []
    },
    cutAt(n, point) {
      statements = []
      wasCut = false
      pendingCut = { n, point }
    },
    get wasCut() {
      return wasCut
    },
    silenceAt(n, loss, matches = () => true) {
      statements = []
      pendingSilence = { remaining: n, loss, matches }
    },
    silence() {
      isSilent = true
      for (const socket of sockets) silentSockets.add(socket)
    },
    restore() {
      isSilent = false
      pendingCut = null
      pendingSilence = null
    },
    closeSilent() {
      for (const socket of sockets) if (silentSockets.has(socket)) socket.destroy()
    },
    async close() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** Calls `onMessage` with each complete message. A client's first message has no type. */
function onMessages(
  socket: Socket,
  { hasStartupMessage }: { hasStartupMessage: boolean },
  onMessage: (message: Message) => void,
) {
  let rest = Buffer.alloc(0)
  let typeLength = hasStartupMessage ? 0 : 1
  socket.on('data', (chunk: Buffer) => {
    rest = Buffer.concat([rest, chunk])
    while (rest.length >= typeLength + 4) {
      const messageLength = typeLength + rest.readInt32BE(typeLength)
      if (rest.length < messageLength) return
      const type = rest.toString('latin1', 0, typeLength)
      const bytes = rest.subarray(0, messageLength)
      rest = rest.subarray(messageLength)
      typeLength = 1
      onMessage({ type, bytes })
    }
  })
}

/** Returns the SQL in a message, or the name of its prepared statement. */
function getSql(type: string, bytes: Buffer): string {
  const strings = bytes.toString('utf8', 5).split('\0')
  if (type === 'Q') return strings[0] ?? ''
  if (type === 'P') return strings[1] ?? ''
  if (type === 'B') return strings[1] ? `[${strings[1]}]` : ''
  return ''
}
