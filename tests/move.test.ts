import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { getTableName, is } from 'drizzle-orm'
import { getTableConfig, type PgColumn, PgTable } from 'drizzle-orm/pg-core'
import type pg from 'pg'
import { pino } from 'pino'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openDatabase } from '../src/server/db/open.ts'
import * as schema from '../src/server/db/schema.ts'
import { mailQueueName, openJobQueue } from '../src/server/jobs/job-queue.ts'
import { prepareDataFolder } from './support/data-folder.ts'
import { freePort } from './support/free-port.ts'
import { logIn, makeClient, makeFile, sha256, signUp } from './support/make.ts'
import { emptyDatabase } from './support/postgres.ts'
import type { TestDatabase } from './support/postgres-server.ts'
import { startServerProcess } from './support/server-process.ts'

const log = pino({ level: 'silent' })
const root = resolve(import.meta.dirname, '..')
const tables: readonly PgTable[] = Object.values(schema).filter((value) => is(value, PgTable))

/** Text that a copy could read as an end of a column, an end of a row, null or an escape. */
const hostileText = 'a\tb\nc\\N \\. \\x41 "quoted" \'it\' Ünïcode 🐞'

let folder: string
let outside: TestDatabase
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mayfly-move-'))
  outside = await emptyDatabase()
})
afterEach(async () => {
  await outside.drop()
  await rm(folder, { recursive: true })
})

/** Runs the command of docs/operations.md, as a shell would, with this folder and this database. */
async function runFromPage(
  direction: 'out' | 'back',
  dataDir: string,
  database: TestDatabase,
): Promise<{ code: number; said: string }> {
  const page = await readFile(join(root, 'docs/operations.md'), 'utf8')
  const blocks = Array.from(page.matchAll(/^```sh\n(.*?)^```/gms), ([, block = '']) => block)
  const command = blocks.find((block) => block.includes(`npm run move ${direction}`)) ?? ''
  expect(command).toContain('DATA_DIR=/srv/mayfly/data ')
  const script = command
    .replace('/srv/mayfly/data', `'${dataDir}'`)
    .replace('postgres://mayfly:password@db.example.org/mayfly', `'${database.url}'`)
  const PATH = `${dirname(process.execPath)}:${process.env.PATH}`
  return new Promise((done) => {
    execFile(
      'sh',
      ['-ec', script],
      { cwd: root, env: { ...process.env, PATH } },
      (error, _, said) => done({ code: Number(error?.code ?? 0), said }),
    )
  })
}

/**
 * Adds a row to every table. Where the row refers to another table, that table gets its row first.
 */
async function fillEveryTable(pool: pg.Pool): Promise<void> {
  const rows = new Map<PgTable, Record<string, unknown>>()
  const add = async (table: PgTable) => {
    if (rows.has(table)) return
    const { columns, foreignKeys } = getTableConfig(table)
    const row: Record<string, unknown> = {}
    for (const column of columns) {
      if (column.generated || column.generatedIdentity) continue
      row[column.name] = valueFor(column)
    }
    Object.assign(row, valuesOfChecks[getTableName(table)])
    rows.set(table, row)
    for (const { reference } of foreignKeys) {
      const { columns, foreignTable, foreignColumns } = reference()
      await add(foreignTable)
      for (const [at, { name }] of columns.entries()) {
        if (row[name] === null) continue
        row[name] = rows.get(foreignTable)?.[foreignColumns[at]?.name ?? '']
      }
    }
    const names = Object.keys(row)
    const places = names.map((_, at) => `$${at + 1}`)
    await pool.query(
      `insert into "${getTableName(table)}" (${names.map((name) => `"${name}"`)}) values (${places})
      on conflict do nothing`,
      Object.values(row),
    )
  }
  for (const table of tables) await add(table)
}

/** What the checks and the triggers of the tables want. */
const valuesOfChecks: Record<string, Record<string, unknown>> = {
  // A file with bytes, which are counted.
  files: { purged_at: null },
  settings: { key: 'installation' },
  account_tokens: { signup_id: null },
  branding: { accent: '#a1b2c3', logo: Buffer.from([0, 1, 10, 92, 255]) },
}

function valueFor({ enumValues, dataType, columnType }: PgColumn): unknown {
  if (enumValues?.[0]) return enumValues[0]
  if (columnType === 'PgUUID') return randomUUID()
  if (columnType === 'PgDateString') return '2026-02-28'
  if (columnType === 'PgReal') return 0.1
  if (dataType === 'string') return `${hostileText} ${randomUUID()}`
  if (dataType === 'date') return '2026-11-21T20:04:05.006007Z'
  if (dataType === 'boolean') return true
  if (dataType === 'json') return JSON.stringify({ text: hostileText, nothing: null, number: 1e-7 })
  return 7
}

/** Returns all rows of a database, as text, under the names of their tables. */
async function contentOf(pool: pg.Pool): Promise<Record<string, string[]>> {
  const content: Record<string, string[]> = {}
  const read = async (table: string, query: string) => {
    const { rows } = await pool.query<{ text: string }>(query)
    content[table] = rows.map(({ text }) => text).toSorted()
  }
  for (const name of tables.map(getTableName)) {
    await read(name, `select t::text as text from "${name}" t`)
  }
  await read('mail', `select j::text as text from pgboss.job j where name = '${mailQueueName}'`)
  return content
}

test('the commands of the page copy every row of every table, to the embedded database and back', async () => {
  const source = await openDatabase({ dataDir: folder, databaseUrl: outside.url }, log)
  let content: Record<string, string[]>
  try {
    const queue = await openJobQueue(source.pool, log)
    await queue.mail.add({ kind: 'signup', signupId: hostileText })
    await queue.stop()
    await fillEveryTable(source.pool)
    content = await contentOf(source.pool)
  } finally {
    await source.close()
  }
  for (const [table, rows] of Object.entries(content)) expect(rows, table).not.toEqual([])

  const dataDir = join(folder, 'data')
  await prepareDataFolder(dataDir)
  expect(await runFromPage('back', dataDir, outside)).toEqual({
    code: 0,
    said: expect.stringContaining('Everything is copied'),
  })
  const other = await emptyDatabase()
  try {
    expect(await runFromPage('out', dataDir, other)).toEqual({
      code: 0,
      said: expect.stringContaining('Everything is copied'),
    })
    const target = await openDatabase({ dataDir: folder, databaseUrl: other.url }, log)
    try {
      expect(await contentOf(target.pool)).toEqual(content)
      // The audit log goes on with a new number.
      await target.pool.query(
        'insert into audit_log (at, action, details) select at, action, details from audit_log',
      )
      expect(await target.pool.query('select id from audit_log order by id')).toMatchObject({
        rows: [{ id: '1' }, { id: '2' }],
      })
    } finally {
      await target.close()
    }
  } finally {
    await other.drop()
  }
})

test('a server that is started on what was moved opens the same links', async () => {
  const dataDir = join(folder, 'data')
  await prepareDataFolder(dataDir)
  const port = await freePort()
  const before = await startServerProcess({ dataDir, port })
  const { email, password } = await signUp(before)
  const ada = makeClient(before, await logIn(before, email, password))
  const { shortCode, bytes } = await makeFile(ada)
  before.kill('SIGTERM')
  await before.ended

  expect(await runFromPage('out', dataDir, outside)).toMatchObject({ code: 0 })
  await rm(join(dataDir, 'postgres'), { recursive: true })
  const env = { DATABASE_URL: outside.url }
  const after = await startServerProcess({ dataDir, port, env })
  try {
    const answer = await fetch(`${after.url}/api/download/${shortCode}`)
    expect(sha256(await answer.bytes())).toBe(sha256(bytes))
    expect((await ada.fetch('/api/files')).status).toBe(200)
  } finally {
    after.kill('SIGTERM')
    await after.ended
  }
})
