import { once } from 'node:events'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { freshDatabase } from '../../../../tests/support/postgres.ts'
import type { TestDatabase } from '../../../../tests/support/postgres-server.ts'
import { SharedSession } from '../../db/shared-session.ts'
import { newStorageKey } from '../storage-key.ts'
import { type LockRequest, type ServerLock, ServerLocks } from './server-locks.ts'

/** A server that shares a folder. It notes what others ask it to stop. */
interface Server {
  session: SharedSession
  locks: ServerLocks
  asked: LockRequest[]
  /** Is called for each request of another server to stop. */
  onStop: () => void
  lost: number
}

let database: TestDatabase
let one: Server
let two: Server
beforeAll(async () => {
  database = await freshDatabase()
  one = await openServer()
  two = await openServer()
})
beforeEach(() => {
  for (const server of [one, two]) Object.assign(server, { asked: [], onStop() {}, lost: 0 })
})
afterAll(async () => {
  await one.session.close()
  await two.session.close()
  await database.drop()
})

async function openServer(): Promise<Server> {
  const session = await SharedSession.open({ connectionString: database.url }, { warn() {} })
  const locks = new ServerLocks(session)
  const server: Server = { session, locks, asked: [], onStop() {}, lost: 0 }
  await locks.open({
    onStop(request) {
      server.asked.push(request)
      server.onStop()
    },
    onLost() {
      server.lost += 1
    },
  })
  return server
}

function request(key: string, part?: number): LockRequest {
  return { key, part, code: 'UPLOAD_NOT_FOUND' }
}

function take({ locks }: Server, wanted: LockRequest, signal?: AbortSignal): Promise<ServerLock> {
  return locks.take(wanted, { signal })
}

/** Tells whether a server gets a lock at once. Gives it back. */
async function isFree({ locks }: Server, wanted: LockRequest): Promise<boolean> {
  const isTaken = new Error('the lock is taken')
  try {
    const beforeStopping = () => Promise.reject(isTaken)
    const lock = await locks.take(wanted, { signal: undefined, beforeStopping })
    lock.release()
    return true
  } catch (error) {
    if (error !== isTaken) throw error
    return false
  }
}

/** Gives a lock back, and waits until the database has it back. */
async function giveBack({ session }: Server, lock: ServerLock) {
  lock.release()
  // The session runs its statements one after the other.
  await session.query({ text: 'select 1' })
}

describe('a lock', () => {
  it.each([
    ['of a whole, another server has the same', [undefined, undefined], false],
    ['of a whole, another server has a part of it', [1, undefined], false],
    ['of a part, another server has the whole', [undefined, 1], false],
    ['of a part, another server has the same', [1, 1], false],
    ['of a part, another server has another part', [1, 2], true],
  ])('%s: %s', async (_, [held, wanted], isThere) => {
    const key = newStorageKey()
    const lock = await take(one, request(key, held))
    expect(await isFree(two, request(key, wanted))).toBe(isThere)
    expect(await isFree(two, request(newStorageKey(), wanted))).toBe(true)
    await giveBack(one, lock)
    await giveBack(two, await take(two, request(key, wanted)))
    // Nothing is left of what the other server has tried.
    expect(await isFree(one, request(key))).toBe(true)
  })

  it('is asked for, with what is wanted and why, until the other server gives it back', async () => {
    const wanted = request(newStorageKey(), 3)
    const lock = await take(one, wanted)
    one.onStop = () => lock.release()
    const taken = await take(two, wanted)
    expect(one.asked).toEqual([wanted])
    expect(two.asked).toEqual([])
    expect(await isFree(one, wanted)).toBe(false)
    taken.release()
  })

  it('is asked for again while it is not given back, after the caller was asked once', async () => {
    const wanted = request(newStorageKey())
    const lock = await take(one, wanted)
    const steps: string[] = []
    one.onStop = () => {
      if (steps.push('asked') === 3) lock.release()
    }
    const beforeStopping = async () => void steps.push('before')
    const taken = await two.locks.take(wanted, { signal: undefined, beforeStopping })
    expect(steps).toEqual(['before', 'asked', 'asked'])
    taken.release()
  })

  it('is not asked for, if the caller may not stop others', async () => {
    const wanted = request(newStorageKey())
    const lock = await take(one, wanted)
    expect(await isFree(two, wanted)).toBe(false)
    // A later message arrives after an earlier one.
    const later = new Promise<void>((resolve) => {
      one.onStop = resolve
    })
    const payload = JSON.stringify(request('later'))
    await two.session.query({
      text: `select pg_notify('mayfly_write_locks', $1)`,
      values: [payload],
    })
    await later
    expect(one.asked.map(({ key }) => key)).toEqual(['later'])
    lock.release()
  })

  it('is no longer waited for once the request is over, and is not kept', async () => {
    const wanted = request(newStorageKey())
    const lock = await take(one, wanted)
    const over = new AbortController()
    one.onStop = () => over.abort(new Error('the client left'))
    await expect(take(two, wanted, over.signal)).rejects.toThrow('the client left')
    lock.release()
    expect(await isFree(one, wanted)).toBe(true)
  })

  it('is given back if the request was over while the database gave it', async () => {
    const wanted = request(newStorageKey())
    const over = new AbortController()
    const taking = take(two, wanted, over.signal)
    over.abort(new Error('the client left'))
    await expect(taking).rejects.toThrow('the client left')
    await two.session.query({ text: 'select 1' })
    expect(await isFree(one, wanted)).toBe(true)
  })

  it('is held until the connection that got it ends', async () => {
    const wanted = request(newStorageKey())
    const lock = await take(one, wanted)
    expect(await lock.isHeld()).toBe(true)
    const { connection } = one.session
    await end(one)
    expect(await lock.isHeld()).toBe(false)
    expect(one.lost).toBe(1)
    await expect.poll(() => one.session.connection).toBeGreaterThan(connection ?? 0)

    // The old lock is not that of the new connection, so giving it back frees nothing.
    const again = await take(one, wanted)
    lock.release()
    expect(await lock.isHeld()).toBe(false)
    expect(await again.isHeld()).toBe(true)
    expect(await isFree(two, wanted)).toBe(false)
    again.release()
  })
})

/** Ends the connection of a server, as a broken network does. */
async function end({ session }: Server): Promise<void> {
  const lost = new EventTarget()
  const noticed = once(lost, 'lost')
  session.onLost(() => lost.dispatchEvent(new Event('lost')))
  const [row] = await session.query<{ pid: number }>({ text: 'select pg_backend_pid() as pid' })
  await two.session.query({ text: 'select pg_terminate_backend($1)', values: [row?.pid] })
  await noticed
}

it.each([
  '',
  'no JSON',
  '{"key":7,"code":"UPLOAD_NOT_FOUND"}',
  '{"key":"a","code":"constructor"}',
  '{"key":"a","part":1.5,"code":"UPLOAD_NOT_FOUND"}',
])('a message that is none of ours stops nothing: %j', async (payload) => {
  const right = request('right')
  const said = Promise.withResolvers<void>()
  one.onStop = () => said.resolve()
  for (const text of [payload, JSON.stringify(right)]) {
    await two.session.query({ text: `select pg_notify('mayfly_write_locks', $1)`, values: [text] })
  }
  await said.promise
  expect(one.asked).toEqual([right])
})

describe('work that only one server may do', () => {
  it('is done by one after the other', async () => {
    const steps: string[] = []
    const first = Promise.withResolvers<void>()
    const began = Promise.withResolvers<void>()
    const working = one.locks.alone('work', async () => {
      began.resolve()
      await first.promise
      steps.push('first')
    })
    await began.promise
    const next = two.locks.alone('work', async () => void steps.push('second'))
    await two.locks.alone('other work', async () => void steps.push('other'))
    first.resolve()
    await Promise.all([working, next])
    expect(steps).toEqual(['other', 'first', 'second'])
  })

  it('is free for others after it has failed', async () => {
    const failing = () => Promise.reject(new Error('no room'))
    await expect(one.locks.alone('failing', failing)).rejects.toThrow('no room')
    expect(await two.locks.alone('failing', async () => 'done')).toBe('done')
  })
})
