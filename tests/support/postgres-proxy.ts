import { type AddressInfo, createConnection, createServer, type Socket } from 'node:net'

/** When a statement's connection is cut. */
export const moments = [
  'before Postgres has it',
  'after Postgres did it, before the answer',
  'after the answer',
] as const
export type Moment = (typeof moments)[number]

/** What is lost first when the network goes silent. */
export const losses = ['the statement', 'the answer'] as const
export type Loss = (typeof losses)[number]

/** A proxy between the server and Postgres that simulates failures. */
export interface PostgresProxy {
  /** The DATABASE_URL through the proxy. */
  url: string
  /** Statements on all connections since the last `count`, `cutAt` or `silenceAt`. */
  readonly statements: readonly string[]
  /** Discards earlier statements. */
  count(): void
  /** Cuts the connection of the n-th statement from now, counted from 1. */
  cutAt(n: number, moment: Moment): void
  /** True once the connection has been cut since `cutAt`. */
  readonly wasCut: boolean
  /**
   * Silences the connection of the n-th statement from now for which `isMeant` returns true,
   * without closing it. The statement or its response is lost, and everything after it.
   */
  silenceAt(n: number, lost: Loss, isMeant?: (statement: string) => boolean): void
  /** Silences all connections, including new ones, without closing any. */
  silence(): void
  /**
   * Drops all open connections like a NAT that forgets them: not even a FIN arrives, and Postgres
   * keeps its side open.
   */
  forget(): void
  /**
   * Forwards new connections again and cancels a scheduled cut or silence. Silent connections stay
   * silent.
   */
  open(): void
  /** Closes the silent connections, as when the network reports the failure. */
  endSilent(): void
  close(): Promise<void>
}

/** A protocol message: its type, if any, and all its bytes. */
interface Message {
  type: string
  bytes: Buffer
}

/** Starts a proxy in front of Postgres. `url` contains the proxy's socket directory. */
export async function startPostgresProxy(databaseUrl: string): Promise<PostgresProxy> {
  const target = new URL(databaseUrl)
  const path = `${target.searchParams.get('host')}/.s.PGSQL.5432`
  const sockets = new Set<Socket>()
  let statements: string[] = []
  let cut: { n: number; moment: Moment } | null = null
  let silencing: { left: number; lost: Loss; isMeant(statement: string): boolean } | null = null
  let wasCut = false
  let isSilent = false
  const silent = new WeakSet<Socket>()
  const forgotten = new WeakSet<Socket>()

  const isDue = (moment: Moment) => cut?.moment === moment && statements.length >= cut.n
  const onConnection = (client: Socket) => {
    const upstream = createConnection(path)
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.setNoDelay(true)
      socket.on('error', () => {})
      socket.on('close', () => {
        sockets.delete(socket)
        if (forgotten.has(socket)) return
        client.destroy()
        upstream.destroy()
      })
    }
    if (isSilent) silent.add(client)
    // By FIN or RST. The tests use both.
    const cutNow = (how: 'end' | 'reset') => {
      cut = null
      wasCut = true
      if (how === 'end') client.end()
      else client.resetAndDestroy()
      upstream.destroy()
    }
    let isCutting = false
    let statement = ''
    onMessages(client, { hasStart: true }, ({ type, bytes }) => {
      if (silent.has(client)) return
      statement += textOf(type, bytes)
      if (type === 'Q' || type === 'S') {
        statements.push(statement)
        if (silencing?.isMeant(statement)) silencing.left -= 1
        statement = ''
        if (silencing?.left === 0) {
          const { lost } = silencing
          silencing = null
          silent.add(client)
          if (lost === 'the statement') return
        }
        if (isDue('before Postgres has it')) return cutNow('end')
        isCutting = cut !== null && statements.length >= cut.n
      }
      upstream.write(bytes)
    })
    onMessages(upstream, { hasStart: false }, ({ type, bytes }) => {
      if (silent.has(client)) return
      const isEnd = type === 'Z'
      if (isCutting && isDue('after Postgres did it, before the answer')) {
        if (isEnd) cutNow('reset')
        return
      }
      client.write(bytes)
      if (isCutting && isEnd && isDue('after the answer')) cutNow('end')
    })
  }

  const server = createServer(onConnection).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `postgres://postgres@127.0.0.1:${port}${target.pathname}`,
    get statements() {
      return statements
    },
    count() {
      statements = []
    },
    cutAt(n, moment) {
      statements = []
      wasCut = false
      cut = { n, moment }
    },
    get wasCut() {
      return wasCut
    },
    silenceAt(n, lost, isMeant = () => true) {
      statements = []
      silencing = { left: n, lost, isMeant }
    },
    silence() {
      isSilent = true
      for (const socket of sockets) silent.add(socket)
    },
    forget() {
      for (const socket of sockets) {
        silent.add(socket)
        forgotten.add(socket)
      }
    },
    open() {
      isSilent = false
      cut = null
      silencing = null
    },
    endSilent() {
      for (const socket of sockets) if (silent.has(socket)) socket.destroy()
    },
    async close() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** Calls `on` with each complete message. A client's first message has no type. */
function onMessages(
  socket: Socket,
  { hasStart }: { hasStart: boolean },
  on: (message: Message) => void,
) {
  let rest = Buffer.alloc(0)
  let typeLength = hasStart ? 0 : 1
  socket.on('data', (chunk: Buffer) => {
    rest = Buffer.concat([rest, chunk])
    while (rest.length >= typeLength + 4) {
      const length = typeLength + rest.readInt32BE(typeLength)
      if (rest.length < length) return
      const type = rest.toString('latin1', 0, typeLength)
      const bytes = rest.subarray(0, length)
      rest = rest.subarray(length)
      typeLength = 1
      on({ type, bytes })
    }
  })
}

/** Returns the SQL of a message, or the name of a prepared statement. */
function textOf(type: string, bytes: Buffer): string {
  const words = bytes.toString('utf8', 5).split('\0')
  if (type === 'Q') return words[0] ?? ''
  if (type === 'P') return words[1] ?? ''
  if (type === 'B') return words[1] ? `[${words[1]}]` : ''
  return ''
}
