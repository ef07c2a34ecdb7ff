import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { inject } from 'vitest'
import { startEmbeddedPostgres } from '../../src/server/db/embedded-postgres.ts'
import { migrateDatabase } from '../../src/server/db/migrate.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The administrative database of the Postgres that serves this test run. */
    postgresUrl: string
  }
}

const template = 'mayfly_template'

/** Starts the one Postgres of a test run in a temporary folder; `global-setup.ts` calls it. */
export async function startTestPostgres(): Promise<{ url: string; stop(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'mayfly-test-'))
  const postgres = await startEmbeddedPostgres(folder, { info() {}, warn() {} })
  const url = urlOf(postgres.connection.host, 'postgres')
  await withClient(url, async (client) => {
    // What a test run writes need not survive a power cut.
    await client.query('alter system set fsync = off')
    await client.query('alter system set synchronous_commit = off')
    await client.query('alter system set full_page_writes = off')
    await client.query('select pg_reload_conf()')
    await client.query(`create database ${template}`)
  })
  await migrateDatabase({ connectionString: urlOf(postgres.connection.host, template) })
  return {
    url,
    async stop() {
      await postgres.stop()
      await rm(folder, { recursive: true })
    },
  }
}

/**
 * Gives a test file a database of its own, with all migrations applied and nothing in it.
 * `drop` also ends connections that are still open.
 */
export async function freshDatabase(): Promise<{ url: string; drop(): Promise<void> }> {
  return createDatabase(`template ${template}`)
}

/** The same without any tables. */
export async function emptyDatabase(): Promise<{ url: string; drop(): Promise<void> }> {
  return createDatabase('')
}

async function createDatabase(clause: string) {
  const adminUrl = inject('postgresUrl')
  const name = `test_${randomUUID().replaceAll('-', '')}`
  await withClient(adminUrl, (client) => client.query(`create database ${name} ${clause}`))
  const host = new URL(adminUrl).searchParams.get('host') ?? ''
  return {
    url: urlOf(host, name),
    async drop() {
      await withClient(adminUrl, (client) => client.query(`drop database ${name} with (force)`))
    },
  }
}

function urlOf(socketFolder: string, database: string): string {
  return `postgres:///${database}?${new URLSearchParams({ host: socketFolder, user: 'postgres' })}`
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
