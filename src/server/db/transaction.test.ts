import { eq, sql } from 'drizzle-orm'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { freshDatabase } from '../../../tests/support/postgres.ts'
import type { TestDatabase } from '../../../tests/support/postgres-server.ts'
import { AppError } from '../errors.ts'
import { isConnectionLost, isDatabaseUnavailable } from './db-errors.ts'
import { type Database, openPool, poolLimits } from './pool.ts'
import { settings } from './schema.ts'

let database: TestDatabase
const pools: Database[] = []

beforeAll(async () => {
  database = await freshDatabase()
})
afterEach(async () => {
  await Promise.all(pools.splice(0).map((openedPool) => openedPool.close()))
})
afterAll(() => database.drop())

/**
 * Opens a pool with a single connection. Each caller gets it exactly as the previous caller left
 * it.
 */
function open(limits = {}): Database {
  const log = { warn() {} }
  const poolOptions = { ...poolLimits, connections: 1, ...limits }
  const openedPool = openPool({ connectionString: database.url }, log, poolOptions)
  pools.push(openedPool)
  return openedPool
}

/** Returns the backend process id of the pool's connection. */
async function backendPid({ db }: Database) {
  return (await db.execute<{ pid: number }>(sql`select pg_backend_pid() as pid`)).rows[0]?.pid
}

function write(db: Pick<Database['db'], 'insert'>, key: string) {
  return db.insert(settings).values({ key, value: '', updatedAt: new Date(0) })
}
async function hasSetting({ db }: Database, key: string) {
  return (await db.$count(settings, eq(settings.key, key))) === 1
}

describe('a transaction', () => {
  it('commits when the work resolves, and its connection is reused', async () => {
    const pool = open()
    const connectionPid = await backendPid(pool)
    const response = await pool.db.transaction(async (tx) => {
      await write(tx, 'whole')
      return 'done'
    })
    expect(response).toBe('done')
    expect(await hasSetting(pool, 'whole')).toBe(true)
    expect(await backendPid(pool)).toBe(connectionPid)
  })

  it.each([
    ['the work rejects', () => Promise.reject(new AppError('FORBIDDEN')), 'FORBIDDEN'],
    ['a statement fails', (db: Database['db']) => db.execute(sql`select 1 / 0`), '22012'],
  ])('is rolled back when %s, and its connection is reused', async (_, fail, code) => {
    const pool = open()
    const connectionPid = await backendPid(pool)
    const transaction = pool.db.transaction(async (tx) => {
      await write(tx, 'gone')
      await fail(tx)
    })
    const error: unknown = await transaction.catch((reason) => reason.cause ?? reason)
    expect(error).toMatchObject({ code })
    expect(await hasSetting(pool, 'gone')).toBe(false)
    expect(await backendPid(pool)).toBe(connectionPid)
  })

  it('rejects if the work ignored a failed statement', async () => {
    const pool = open()
    const connectionPid = await backendPid(pool)
    const transaction = pool.db.transaction(async (tx) => {
      await write(tx, 'swallowed')
      await tx.execute(sql`select 1 / 0`).catch(() => {})
    })
    await expect(transaction).rejects.toThrow('rolled back')
    expect(await hasSetting(pool, 'swallowed')).toBe(false)
    expect(await backendPid(pool)).toBe(connectionPid)
  })

  it('can contain a nested transaction, which can fail alone', async () => {
    const pool = open()
    await pool.db.transaction(async (tx) => {
      await write(tx, 'outer')
      const innerTransaction = tx.transaction(async (innerTx) => {
        await write(innerTx, 'inner')
        throw new AppError('FORBIDDEN')
      })
      await expect(innerTransaction).rejects.toMatchObject({ code: 'FORBIDDEN' })
    })
    expect([await hasSetting(pool, 'outer'), await hasSetting(pool, 'inner')]).toEqual([
      true,
      false,
    ])
  })
})

describe('a connection after a client timeout', () => {
  const shortTimeouts = { statementMs: 0, clientTimeoutMs: 1000 }

  it.each([
    ['in a transaction', ({ db }: Database) => db.transaction((tx) => tx.execute(sleepQuery))],
    [
      'in a transaction that ignores the error',
      ({ db }: Database) =>
        db.transaction(async (tx) => {
          await write(tx, 'late')
          await tx.execute(sleepQuery).catch(() => {})
        }),
    ],
    ['in a raw query', ({ pool }: Database) => pool.query('select pg_sleep(5)')],
  ])('is never reused: %s', async (_, timeOut) => {
    const pool = open(shortTimeouts)
    const connectionPid = await backendPid(pool)
    const error: unknown = await timeOut(pool).catch((reason: unknown) => reason)
    expect(isConnectionLost(error)).toBe(true)
    expect(await backendPid(pool)).not.toBe(connectionPid)
    expect(await hasSetting(pool, 'late')).toBe(false)
  })
})

describe('Postgres times out before the client', () => {
  it('on a statement', async () => {
    const pool = open({ statementMs: 1000 })
    const connectionPid = await backendPid(pool)
    const error = await pool.db
      .transaction((tx) => tx.execute(sleepQuery))
      .catch((reason) => reason)
    expect([isDatabaseUnavailable(error), isConnectionLost(error)]).toEqual([true, false])
    expect(await backendPid(pool)).toBe(connectionPid)
  })

  it('on a lock', async () => {
    const [holder, waiter] = [open(), open({ lockMs: 50 })]
    const connectionPid = await backendPid(waiter)
    const lockQuery = sql`lock table settings`
    await holder.db.transaction(async (tx) => {
      await tx.execute(lockQuery)
      const error = await waiter.db
        .transaction((waiterTx) => waiterTx.execute(lockQuery))
        .catch((e) => e)
      expect([isDatabaseUnavailable(error), isConnectionLost(error)]).toEqual([true, false])
    })
    expect(await backendPid(waiter)).toBe(connectionPid)
  })

  it('on an idle transaction', async () => {
    const pool = open({ idleInTransactionMs: 50 })
    const connectionPid = await backendPid(pool)
    const observer = open()
    const idleTransaction = pool.db.transaction(async (tx) => {
      await write(tx, 'idle')
      const aliveQuery = sql`select 1 from pg_stat_activity where pid = ${connectionPid}`
      await expect.poll(async () => (await observer.db.execute(aliveQuery)).rows).toEqual([])
      await write(tx, 'after')
    })
    const error: unknown = await idleTransaction.catch((reason) => reason)
    expect(isConnectionLost(error)).toBe(true)
    expect(await backendPid(pool)).not.toBe(connectionPid)
    expect([await hasSetting(pool, 'idle'), await hasSetting(pool, 'after')]).toEqual([
      false,
      false,
    ])
  })

  it('with all default limits', () => {
    const { clientTimeoutMs, ...otherLimits } = poolLimits
    for (const name of ['lockMs', 'statementMs', 'idleInTransactionMs'] as const) {
      expect(otherLimits[name]).toBeGreaterThan(0)
      expect(otherLimits[name]).toBeLessThan(clientTimeoutMs)
    }
  })
})

const sleepQuery = sql`select pg_sleep(5)`
