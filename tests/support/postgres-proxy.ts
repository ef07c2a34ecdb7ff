import { type AddressInfo, createConnection, createServer, type Socket } from 'node:net'

/** When a connection is cut: what the server knows of a statement then, and what Postgres does. */
export const moments = [
  'before Postgres has it',
  'after Postgres did it, before the answer',
  'after the answer',
] as const
export type Moment = (typeof moments)[number]

/** What gets lost on a network that has gone silent. */
export const losses = ['the statement', 'the answer'] as const
export type Loss = (typeof losses)[number]

/** The network between the server and Postgres, and what goes wrong in one. */
export interface PostgresProxy {
  /** What DATABASE_URL is through it. */
  url: string
  /** The statements that came since `count`, on all connections. */
  readonly statements: readonly string[]
  /** Forgets the statements so far. */
  count(): void
  /** Cuts the connection on which the n-th statement comes from now on, from 1. */
  cutAt(n: number, moment: Moment): void
  /** Whether the cut that was asked for has come. */
  readonly wasCut: boolean
  /**
   * Swallows everything on the connection on which the n-th statement comes from now on, from 1: that
   * statement too, or only its answer. Nothing is closed.
   */
  silenceAt(n: number, lost: Loss): void
  /** Swallows everything from now on, on every connection, and closes none. */
  silence(): void
  /** Connections that were open stay as they are; new ones work. */
  open(): void
  close(): Promise<void>
}

/** One message of Postgres's protocol: its type, where it has one, and all its bytes. */
interface Message {
  type: string
  bytes: Buffer
}

/** Starts a proxy before the Postgres of this URL, which names a folder with its socket. */
export async function startPostgresProxy(databaseUrl: string): Promise<PostgresProxy> {
  const target = new URL(databaseUrl)
  const path = `${target.searchParams.get('host')}/.s.PGSQL.5432`
  const sockets = new Set<Socket>()
  let statements: string[] = []
  let cut: { n: number; moment: Moment } | null = null
  let silencing: { n: number; lost: Loss } | null = null
  let wasCut = false
  let isSilent = false
  const silent = new WeakSet<Socket>()

  const isDue = (moment: Moment) => cut?.moment === moment && statements.length >= cut.n
  const onConnection = (client: Socket) => {
    const upstream = createConnection(path)
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.setNoDelay(true)
      socket.on('error', () => {})
      socket.on('close', () => {
        sockets.delete(socket)
        client.destroy()
        upstream.destroy()
      })
    }
    if (isSilent) silent.add(client)
    // The server hears of a cut in both ways that there are: by an end, and by a reset.
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
        statement = ''
        if (silencing && statements.length >= silencing.n) {
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
    silenceAt(n, lost) {
      statements = []
      silencing = { n, lost }
    },
    silence() {
      isSilent = true
      for (const socket of sockets) silent.add(socket)
    },
    open() {
      isSilent = false
    },
    async close() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** Calls for every whole message; the first that a client sends has no type. */
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

/** The SQL that a message carries, or the name of what was prepared before. */
function textOf(type: string, bytes: Buffer): string {
  const words = bytes.toString('utf8', 5).split('\0')
  if (type === 'Q') return words[0] ?? ''
  if (type === 'P') return words[1] ?? ''
  if (type === 'B') return words[1] ? `[${words[1]}]` : ''
  return ''
}
