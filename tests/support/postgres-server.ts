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
import { hangTimeoutMs } from './hang-timeout.ts'

/** A database for one test. `drop` also closes any connections to it. */
export interface TestDatabase {
  url: string
  drop(): Promise<void>
}

const execFileAsync = promisify(execFile)

const template = 'mayfly_template'
const pollMs = 20

/** A Postgres server for one test. */
export interface TestPostgres {
  /** The URL of the administrative database, for use with `createDatabase`. */
  url: string
  /**
   * Shuts Postgres down, and starts it again `downtimeMs` milliseconds later. Resolves when it is
   * up again.
   */
  restart(downtimeMs: number): Promise<void>
  /**
   * Kills Postgres and restarts it immediately, as the app does with embedded Postgres. Resolves
   * when it is up again.
   */
  kill(): Promise<void>
  stop(): Promise<void>
}

/**
 * Starts a Postgres server in a temporary directory.
 * @param prepare can change the template database, from which all 'migrated' databases are created.
 * It must close its connections.
 */
export async function startTestPostgres(
  prepare: (url: string) => Promise<void> = async () => {},
): Promise<TestPostgres> {
  const folder = await mkdtemp(join(tmpdir(), 'mayfly-test-'))
  const start = () => startEmbeddedPostgres(folder, { warn() {} })
  let postgres = await start()
  const url = makeUrl(postgres.connection.host, 'postgres')
  await withClient(url, async (client) => {
    // Turn off fsync, because test data doesn't have to survive a power cut. Keep commits
    // synchronous: query plans depend on vacuum marking rows as visible, and it does so only once
    // the commit that created them has been flushed to the log.
    await client.query('alter system set fsync = off')
    await client.query('alter system set full_page_writes = off')
    await client.query('select pg_reload_conf()')
    await client.query(`create database ${template}`)
  })
  const templateUrl = makeUrl(postgres.connection.host, template)
  await migrateDatabase({ connectionString: templateUrl })
  await prepare(templateUrl)
  return {
    url,
    async restart(downtimeMs) {
      await postgres.stop()
      await wait(downtimeMs)
      postgres = await start()
    },
    async kill() {
      const crashPromise = new Promise<never>((_, reject) => postgres.onLost(reject))
      process.kill((await findPostmaster(join(folder, 'postgres'))) ?? 0, 'SIGKILL')
      await Promise.race([crashPromise, waitUntilUsable(url)])
    },
    async stop() {
      await postgres.stop()
      await rm(folder, { recursive: true })
    },
  }
}

/** Returns the pid of the postmaster, given the pid of one of its backends. */
export async function findPostmasterPid(backendPid: number): Promise<number> {
  const { stdout } = await execFileAsync('ps', ['-o', 'ppid=', '-p', String(backendPid)])
  return Number(stdout)
}

/** Creates a database that has all tables ('migrated') or none ('nothing'). */
export async function createDatabase(
  adminUrl: string,
  content: 'migrated' | 'nothing',
): Promise<TestDatabase> {
  const name = `test_${randomUUID().replaceAll('-', '')}`
  const source = content === 'migrated' ? template : 'template1'
  // Copying files takes a third of the CPU time of Postgres's default, copying pages with a log.
  await withClient(adminUrl, (client) =>
    client.query(`create database ${name} template ${source} strategy file_copy`),
  )
  const host = new URL(adminUrl).searchParams.get('host') ?? ''
  return {
    url: makeUrl(host, name),
    async drop() {
      await withClient(adminUrl, (client) => client.query(`drop database ${name} with (force)`))
    },
  }
}

/** Returns the URL of a database on the server that uses this socket directory. */
function makeUrl(socketFolder: string, database: string): string {
  return `postgres:///${database}?${new URLSearchParams({ host: socketFolder, user: 'postgres' })}`
}

async function waitUntilUsable(url: string): Promise<void> {
  const deadline = performance.now() + hangTimeoutMs
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
