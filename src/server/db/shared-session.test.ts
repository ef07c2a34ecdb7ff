import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  it,
  onTestFinished,
} from 'vitest'
import { freePort } from '../../../tests/support/free-port.ts'
import { freshDatabase } from '../../../tests/support/postgres.ts'
import { startPostgresProxy } from '../../../tests/support/postgres-proxy.ts'
import type { TestDatabase } from '../../../tests/support/postgres-server.ts'
import { SharedSession } from './shared-session.ts'

const away = expect.objectContaining({ code: 'UNAVAILABLE' })

let database: TestDatabase
let warned: unknown[]
let session: SharedSession
let other: SharedSession
/** 'lost' and 'reopened', in the order in which this happened to the session. */
let events: string[]
beforeAll(async () => {
  database = await freshDatabase()
})
beforeEach(async () => {
  warned = []
  events = []
  session = await open()
  other = await open()
  session.onLost(() => events.push('lost'))
  session.onReopened(() => events.push('reopened'))
})
afterEach(async () => {
  await session.close()
  await other.close()
})
afterAll(() => database.drop())

function open(): Promise<SharedSession> {
  const log = { warn: (facts: unknown) => void warned.push(facts) }
  return SharedSession.open({ connectionString: database.url }, log)
}

async function ask<T>(text: string, values: unknown[] = []): Promise<T | undefined> {
  const [row] = await session.query<{ answer: T }>({ text: `select ${text} as answer`, values })
  return row?.answer
}

/** Ends the connection of the session, as a restart of the database does. */
async function cut() {
  const pid = await ask<number>('pg_backend_pid()')
  await other.query({ text: 'select pg_terminate_backend($1)', values: [pid] })
}

function notify(channel: string, payload: string, from = other) {
  return from.query({ text: 'select pg_notify($1, $2)', values: [channel, payload] })
}

it('runs statements in the order of the calls', async () => {
  const answers = await Promise.all([
    ask<string>("set_config('mayfly.x', 'first', false)"),
    ask<string>("current_setting('mayfly.x')"),
    ask<string>("set_config('mayfly.x', 'second', false)"),
    ask<string>("current_setting('mayfly.x')"),
  ])
  expect(answers).toEqual(['first', 'first', 'second', 'second'])
})

it('opens another connection after one was lost, and says both', async () => {
  const { connection } = session
  await cut()
  await expect.poll(() => events).toEqual(['lost', 'reopened'])
  expect(session.connection).toBeGreaterThan(connection ?? 0)
  expect(await ask<number>('1')).toBe(1)
  expect(warned).toHaveLength(1)
})

it('gives up its connection with all locks after a statement that failed', async () => {
  const { connection } = session
  expect(await ask<boolean>('pg_try_advisory_lock(7)')).toBe(true)
  const asked = [ask('1 / 0'), ask('1')]
  const [failed, next] = await Promise.allSettled(asked)
  expect(failed).toEqual({ status: 'rejected', reason: away })
  // A statement that was sent meanwhile is answered or refused, but never on a lost connection.
  if (next?.status === 'rejected') expect(next.reason).toEqual(away)
  await expect.poll(() => events).toEqual(['lost', 'reopened'])
  expect(session.connection).toBeGreaterThan(connection ?? 0)
  const taken = () => other.query({ text: 'select pg_try_advisory_lock(7) as taken' })
  await expect.poll(taken).toEqual([{ taken: true }])
})

it('refuses statements while there is no connection', async () => {
  const refused = Promise.withResolvers<unknown>()
  session.onLost(() => {
    expect(session.connection).toBeNull()
    ask('1').catch(refused.resolve)
  })
  await cut()
  expect(await refused.promise).toEqual(away)
})

it('hears the messages of others on its channels, and not its own', async () => {
  const heard: string[] = []
  for (const channel of ['ours', 'second']) {
    await session.listen(channel, (payload) => heard.push(`${channel}: ${payload}`))
  }
  await notify('ours', 'own', session)
  await notify('other', 'elsewhere')
  await notify('second', 'message')
  await notify('ours', 'message')
  await expect.poll(() => heard).toEqual(['second: message', 'ours: message'])
})

it('hears messages on the next connection too', async () => {
  const heard: string[] = []
  await session.listen('Ours "quoted"', (payload) => heard.push(payload))
  await cut()
  await expect.poll(() => events).toEqual(['lost', 'reopened'])
  await notify('Ours "quoted"', 'again')
  await expect.poll(() => heard).toEqual(['again'])
})

describe('over a network that forgets connections without an end', () => {
  const limits = { answerMs: 2000, askMs: 50 }
  const openRemote = async () => {
    const proxy = await startPostgresProxy(database.url)
    const config = { connectionString: proxy.url }
    const remote = await SharedSession.open(config, { warn() {} }, limits)
    onTestFinished(async () => {
      await remote.close()
      await proxy.close()
    })
    return { proxy, remote }
  }
  const lockHere = { text: 'select pg_try_advisory_lock(8) as taken' }

  it('opens another connection, also while nobody asks anything', async () => {
    const { proxy, remote } = await openRemote()
    const reopened = new Promise<void>((resolve) => remote.onReopened(resolve))
    proxy.forget()
    await reopened
    expect(await remote.query({ text: 'select 1 as answer' })).toEqual([{ answer: 1 }])
  })

  it('leaves no locks at the database', async () => {
    const { proxy, remote } = await openRemote()
    expect(await remote.query(lockHere)).toEqual([{ taken: true }])
    expect(await other.query(lockHere)).toEqual([{ taken: false }])
    const reopened = new Promise<void>((resolve) => remote.onReopened(resolve))
    proxy.forget()
    await reopened
    await expect.poll(() => other.query(lockHere)).toEqual([{ taken: true }])
  })

  it('does not touch the locks of other servers', async () => {
    const { proxy, remote } = await openRemote()
    const { connection } = session
    expect(await session.query(lockHere)).toEqual([{ taken: true }])
    const reopened = new Promise<void>((resolve) => remote.onReopened(resolve))
    proxy.forget()
    await reopened
    expect(await other.query(lockHere)).toEqual([{ taken: false }])
    expect(session.connection).toBe(connection)
  })

  it('lets Postgres find out by itself that the machine of a server is gone', async () => {
    const { proxy } = await openRemote()
    const settings = ['keepalives_idle', 'keepalives_interval', 'keepalives_count', 'user_timeout']
    for (const name of settings) expect(proxy.statements.join()).toContain(`set tcp_${name} = `)
  })
})

it('is closed for good', async () => {
  await session.close()
  expect(session.connection).toBeNull()
  await expect(ask('1')).rejects.toEqual(away)
  expect([events, warned]).toEqual([[], []])
})

it('is not opened where the database cannot be reached', async () => {
  const url = `postgres://nobody@127.0.0.1:${await freePort()}/none`
  const opening = SharedSession.open({ connectionString: url }, { warn() {} })
  await expect(opening).rejects.toThrow('ECONNREFUSED')
})
