import { once } from 'node:events'
import { type AddressInfo, createConnection, createServer, type Socket } from 'node:net'
import { DrizzleQueryError } from 'drizzle-orm'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { freshDatabase } from '../../../tests/support/postgres.ts'
import type { TestDatabase } from '../../../tests/support/postgres-server.ts'
import { AppError } from '../errors.ts'
import { isConnectionLost, isDatabaseUnavailable, isTransient } from './db-errors.ts'
import { openPool, poolLimits } from './pool.ts'

let database: TestDatabase
let host: string

beforeAll(async () => {
  database = await freshDatabase()
  host = new URL(database.url).searchParams.get('host') ?? ''
  // Connection limits don't apply to superusers, so use an ordinary role.
  await execute(`create role nobody login connection limit 0`)
})
afterAll(async () => {
  await execute('drop role nobody')
  await database.drop()
})

/** Runs statements on a new connection and returns the last one's error. */
async function errorOf(...statements: string[]): Promise<unknown> {
  const client = new pg.Client({ connectionString: database.url })
  client.on('error', () => {})
  await client.connect()
  try {
    for (const statement of statements) await client.query(statement)
    return null
  } catch (error) {
    return error
  } finally {
    await client.end()
  }
}
async function execute(statement: string) {
  return expect(await errorOf(statement)).toBeNull()
}

/** Returns a Postgres error with this SQLSTATE, for conditions that a test can't cause. */
function postgresError(code: string) {
  return errorOf(`do $$ begin raise exception using errcode = '${code}'; end $$`)
}

/** Returns the error from connecting to the database with some options changed. */
async function connectError(changes: pg.ClientConfig): Promise<unknown> {
  const { pathname } = new URL(database.url)
  const defaults = { host, user: 'postgres', database: pathname.slice(1) }
  const client = new pg.Client({ ...defaults, connectionTimeoutMillis: 10_000, ...changes })
  client.on('error', () => {})
  const error = await client.connect().then(
    () => null,
    (reason: unknown) => reason,
  )
  await client.end().catch(() => {})
  return error
}

/**
 * Returns the error from connecting to a fake server that handles the connection with
 * `onConnection`.
 */
async function connectErrorFrom(
  onConnection: (socket: Socket) => void,
  changes: pg.ClientConfig = {},
): Promise<unknown> {
  const server = createServer((socket) => {
    socket.on('error', () => {})
    onConnection(socket)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const error = await connectError({ host: '127.0.0.1', port, ...changes })
  server.close()
  return error
}

/** Builds the message that Postgres sends to reject a new connection. */
function fatalMessage(code: string) {
  const fields = ['SFATAL', 'VFATAL', `C${code}`, 'Mnot now'].map((field) => `${field}\0`)
  const body = Buffer.from(`${fields.join('')}\0`)
  const head = Buffer.alloc(5)
  head.write('E')
  head.writeInt32BE(body.length + 4, 1)
  return Buffer.concat([head, body])
}

/** Returns the error that `run` causes on a pool of one connection. */
async function poolError(run: (pool: pg.Pool) => Promise<unknown>, limits = {}): Promise<unknown> {
  const options = { ...poolLimits, connections: 1, ...limits }
  const { pool, close } = openPool({ connectionString: database.url }, { warn() {} }, options)
  const error = await run(pool).catch((reason: unknown) => reason)
  await close()
  return error
}

/** Returns a client that hasn't noticed that its connection was closed. */
async function terminatedClient(): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: database.url })
  client.on('error', () => {})
  await client.connect()
  const { rows } = await client.query('select pg_backend_pid() as pid')
  const connectionEnd = new Promise((resolve) => client.once('end', resolve))
  await execute(`select pg_terminate_backend(${rows[0].pid})`)
  await connectionEnd
  return client
}

function nodeError(code: string, syscall?: string) {
  return Object.assign(new Error(`${syscall} ${code}`), { code, syscall })
}

/**
 * Functions that return an error, one per kind of outage. Where possible, they cause a real outage.
 */
const outages = {
  connectionFailure: () => postgresError('08006'),
  diskFull: () => postgresError('53100'),
  outOfMemory: () => postgresError('53200'),
  tooManyConnections: () => connectError({ user: 'nobody' }),
  lockTimeout: () =>
    poolError(
      async (pool) => {
        const lockingClient = new pg.Client({ connectionString: database.url })
        await lockingClient.connect()
        await lockingClient.query('begin; lock table settings')
        return pool.query('select 1 from settings').finally(() => lockingClient.end())
      },
      { lockMs: 50 },
    ),
  statementTimeout: () =>
    poolError((pool) => pool.query('select pg_sleep(9)'), { statementMs: 50 }),
  transactionTimeout: () => errorOf('set transaction_timeout = 50', 'begin', 'select pg_sleep(9)'),
  shuttingDown: () => errorOf('select pg_terminate_backend(pg_backend_pid())'),
  startingUp: () => connectErrorFrom((socket) => socket.end(fatalMessage('57P03'))),
  databaseMissing: () => connectError({ database: 'missing' }),
  notAuthorized: () => connectError({ user: 'stranger' }),
  readOnly: () => errorOf('set default_transaction_read_only = on', 'create table t ()'),
  ioError: () => postgresError('58030'),

  connectionRefused: async () => {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    await new Promise((resolve) => server.close(resolve))
    return connectError({ host: '127.0.0.1', port })
  },
  socketMissing: () => connectError({ host: '/nowhere' }),
  connectionReset: () =>
    connectErrorFrom((socket) => socket.once('data', () => socket.resetAndDestroy())),
  connectionTimedOut: () => nodeError('ETIMEDOUT', 'connect'),
  unreachable: () => nodeError('EHOSTUNREACH', 'connect'),
  hostNotFound: () => connectError({ host: 'nothing.invalid' }),
  tooManySockets: () => nodeError('EMFILE', 'connect'),

  connectionTerminated: () => connectErrorFrom((socket) => socket.once('data', () => socket.end())),
  connectTimeout: () => connectErrorFrom(() => {}, { connectionTimeoutMillis: 200 }),
  queryTimeout: () =>
    poolError((pool) => pool.query('select pg_sleep(9)'), { statementMs: 0, clientTimeoutMs: 50 }),
  notQueryable: async () =>
    (await terminatedClient()).query('select 1').catch((error: unknown) => error),
  poolClosed: async () => {
    const pool = new pg.Pool({ connectionString: database.url })
    await pool.end()
    return pool.query('select 1').catch((error: unknown) => error)
  },
}

/** Outages that startup doesn't retry. */
const permanentOutages = [
  ...['diskFull', 'outOfMemory', 'lockTimeout', 'statementTimeout', 'transactionTimeout'],
  ...['databaseMissing', 'notAuthorized', 'readOnly', 'ioError', 'tooManySockets', 'poolClosed'],
]
/** Errors after which the connection is still usable. */
const outagesKeepingConnection = [
  ...['connectionFailure', 'diskFull', 'outOfMemory', 'lockTimeout', 'statementTimeout'],
  ...['readOnly', 'ioError'],
]

describe('an unavailable database', () => {
  it.each(Object.entries(outages))('is recognized by %s', async (name, cause) => {
    const error = await cause()
    expect(error).toBeInstanceOf(Error)
    expect(isDatabaseUnavailable(error)).toBe(true)
    expect(isDatabaseUnavailable(new DrizzleQueryError('select 1', [], error as Error))).toBe(true)
    expect(isDatabaseUnavailable(new Error('a library says', { cause: error }))).toBe(true)
    expect(isTransient(error)).toBe(!permanentOutages.includes(name))
    expect(isConnectionLost(error)).toBe(!outagesKeepingConnection.includes(name))
  })

  it.each([
    ['closed it', 'select pg_terminate_backend(pg_backend_pid())', true],
    ['only returned an error', 'select pg_sleep(9)', false],
  ])('is a lost connection or only an error response: Postgres %s', async (_, text, isLost) => {
    const client = new pg.Client({ connectionString: database.url })
    client.on('error', () => {})
    await client.connect()
    await client.query('set statement_timeout = 20')
    const error = await client.query(text).catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(pg.DatabaseError)
    expect(isConnectionLost(error)).toBe(isLost)
    const nextQuery = await client.query('select 1').then(
      () => 'answered',
      () => 'refused',
    )
    expect(nextQuery).toBe(isLost ? 'refused' : 'answered')
    await client.end().catch(() => {})
  })

  it('is recognized if all connections are in use', async () => {
    const exhaustPool = async (pool: pg.Pool) => {
      const connection = await pool.connect()
      await pool.query('select 1').finally(() => connection.release())
    }
    expect(isTransient(await poolError(exhaustPool, { connectMs: 500 }))).toBe(true)
  })

  it('is recognized if the pool times out while connecting', async () => {
    const server = createServer(() => {}).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const limits = { ...poolLimits, connectMs: 50 }
    const { pool, close } = openPool({ host: '127.0.0.1', port }, { warn() {} }, limits)
    const error = await pool.query('select 1').catch((reason: unknown) => reason)
    expect(isTransient(error)).toBe(true)
    await close()
    server.close()
  })

  it('is recognized if a host has several addresses and none responds', () => {
    const aggregateError = new AggregateError([nodeError('ECONNREFUSED', 'connect')])
    expect(isTransient(Object.assign(aggregateError, { code: 'ECONNREFUSED' }))).toBe(true)
  })

  it('is recognized after a write to a closed connection', async () => {
    const server = createServer((socket) => socket.end()).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const socket = createConnection((server.address() as AddressInfo).port, '127.0.0.1')
    await once(socket, 'end')
    socket.write('late')
    const [error] = await once(socket, 'error')
    expect(isTransient(error)).toBe(true)
    server.close()
  })
})

describe('any other error', () => {
  it.each([
    ['a division by zero', () => errorOf('select 1 / 0')],
    ['a missing table', () => errorOf('select * from nothing')],
    ['a deadlock', () => postgresError('40P01')],
    ['a missing file', () => nodeError('ENOENT', 'open')],
    ['too many open files', () => nodeError('EMFILE', 'open')],
    ['a SQLSTATE from another library', () => Object.assign(new Error(), { code: '57P01' })],
    ['an AppError', () => new AppError('FORBIDDEN')],
    ['a string', () => 'Connection terminated'],
  ])("isn't an outage: %s", async (_, makeError) => {
    const error = await makeError()
    expect(error).not.toBeNull()
    expect(isDatabaseUnavailable(error)).toBe(false)
    expect(isConnectionLost(error)).toBe(false)
    expect(isTransient(error)).toBe(false)
  })
})
