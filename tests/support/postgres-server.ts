import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { promisify } from 'node:util'
import pg from 'pg'
import { startEmbeddedPostgres } from '../../src/server/db/embedded-postgres.ts'
import { migrateDatabase } from '../../src/server/db/migrate.ts'
import { findPostmaster } from '../../src/server/db/postgres-folder.ts'
import { hangMs } from './hang.ts'

/** A new database for one test. `drop` also ends connections that are still open. */
export interface TestDatabase {
  url: string
  drop(): Promise<void>
}

const run = promisify(execFile)

const template = 'mayfly_template'
const pollMs = 20

/** A Postgres that tests have for themselves. */
export interface TestPostgres {
  /** The URL of the administrative database, which `createDatabase` needs. */
  url: string
  /**
   * Shuts Postgres down, which ends all connections, and starts it again after `awayMs`. Resolves
   * when it can be used.
   */
  restart(awayMs: number): Promise<void>
  /**
   * Kills the main process of Postgres, and with it all others. Postgres is started again at once,
   * as the server does with the embedded one. Resolves when it can be used.
   */
  kill(): Promise<void>
  stop(): Promise<void>
}

/**
 * Starts a Postgres in a temporary folder.
 * @param prepare gets the URL of the database that every 'migrated' one is a copy of, and may add
 * to it. It must close its connections.
 */
export async function startTestPostgres(
  prepare: (url: string) => Promise<void> = async () => {},
): Promise<TestPostgres> {
  const folder = await mkdtemp(join(tmpdir(), 'mayfly-test-'))
  const start = () => startEmbeddedPostgres(folder, { warn() {} })
  let postgres = await start()
  const url = urlOf(postgres.connection.host, 'postgres')
  await withClient(url, async (client) => {
    // The data of a test run need not survive a power cut. But commits stay synchronous. Until a
    // commit is in the log, a vacuum does not mark its rows as visible. Then the plan of a query
    // would depend on when the log was written.
    await client.query('alter system set fsync = off')
    await client.query('alter system set full_page_writes = off')
    await client.query('select pg_reload_conf()')
    await client.query(`create database ${template}`)
  })
  const templateUrl = urlOf(postgres.connection.host, template)
  await migrateDatabase({ connectionString: templateUrl })
  await prepare(templateUrl)
  return {
    url,
    async restart(awayMs) {
      await postgres.stop()
      await wait(awayMs)
      postgres = await start()
    },
    async kill() {
      const lost = new Promise<never>((_, reject) => postgres.onLost(reject))
      process.kill((await findPostmaster(join(folder, 'postgres'))) ?? 0, 'SIGKILL')
      await Promise.race([lost, untilUsable(url)])
    },
    async stop() {
      await postgres.stop()
      await rm(folder, { recursive: true })
    },
  }
}

/**
 * Returns the id of the main process of Postgres: the parent of the process that serves a
 * connection.
 */
export async function firstProcessOf(connectionPid: number): Promise<number> {
  const { stdout } = await run('ps', ['-o', 'ppid=', '-p', String(connectionPid)])
  return Number(stdout)
}

/** Creates a database without rows. 'migrated' has all tables, 'nothing' has none. */
export async function createDatabase(
  adminUrl: string,
  content: 'migrated' | 'nothing',
): Promise<TestDatabase> {
  const name = `test_${randomUUID().replaceAll('-', '')}`
  const clause = content === 'migrated' ? `template ${template}` : ''
  await withClient(adminUrl, (client) => client.query(`create database ${name} ${clause}`))
  const host = new URL(adminUrl).searchParams.get('host') ?? ''
  return {
    url: urlOf(host, name),
    async drop() {
      await withClient(adminUrl, (client) => client.query(`drop database ${name} with (force)`))
    },
  }
}

/** Returns the URL of a database of the Postgres whose socket is in this folder. */
function urlOf(socketFolder: string, database: string): string {
  return `postgres:///${database}?${new URLSearchParams({ host: socketFolder, user: 'postgres' })}`
}

async function untilUsable(url: string): Promise<void> {
  const deadline = performance.now() + hangMs
  for (;;) {
    try {
      return await withClient(url, (client) => client.query('select 1'))
    } catch (error) {
      if (performance.now() > deadline) throw error
      await wait(pollMs)
    }
  }
}

async function withClient(url: string, work: (client: pg.Client) => Promise<unknown>) {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await work(client)
  } finally {
    await client.end()
  }
}
