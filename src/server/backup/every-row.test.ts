import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { getTableName, is } from 'drizzle-orm'
import { getTableConfig, type PgColumn, PgTable } from 'drizzle-orm/pg-core'
import type pg from 'pg'
import { pino } from 'pino'
import { expect, it } from 'vitest'
import { emptyDatabase } from '../../../tests/support/postgres.ts'
import { readConfig } from '../config/config.ts'
import { openDatabase } from '../db/open.ts'
import * as schema from '../db/schema.ts'
import { emailQueueName, openJobQueue } from '../jobs/job-queue.ts'
import { recountLinks } from '../links/queries.ts'
import { newStorageKey } from '../storage/storage-key.ts'
import { verifyBackup } from './backup-folder.ts'
import { makeBackup } from './make-backup.ts'
import { restoreBackup } from './restore-backup.ts'

const log = pino({ level: 'silent' })
const tables: readonly PgTable[] = Object.values(schema).filter((value) => is(value, PgTable))

/** Text that resembles COPY syntax: tabs, newlines, nulls and escape sequences. */
const hostileText = 'a\tb\nc\\N \\. \\x41 "quoted" \'it\' Ünïcode 🐞'

async function fillEveryTable(pool: pg.Pool): Promise<void> {
  const rows = new Map<PgTable, Record<string, unknown>>()
  const addRow = async (table: PgTable) => {
    if (rows.has(table) || table === schema.uploads) return
    const { columns, foreignKeys } = getTableConfig(table)
    const row: Record<string, unknown> = {}
    for (const column of columns) {
      if (column.generated || column.generatedIdentity) continue
      row[column.name] = createValue(column)
    }
    Object.assign(row, constrainedValues[getTableName(table)])
    rows.set(table, row)
    for (const { reference } of foreignKeys) {
      const { columns, foreignTable, foreignColumns } = reference()
      await addRow(foreignTable)
      for (const [columnIndex, { name }] of columns.entries()) {
        if (row[name] === null) continue
        row[name] = rows.get(foreignTable)?.[foreignColumns[columnIndex]?.name ?? '']
      }
    }
    const names = Object.keys(row)
    const placeholders = names.map((_, index) => `$${index + 1}`)
    await pool.query(
      `insert into "${getTableName(table)}" (${names.map((name) => `"${name}"`)}) values (${placeholders})
      on conflict do nothing`,
      Object.values(row),
    )
  }
  for (const table of tables) await addRow(table)
}

/** Values that arrays, check constraints and triggers require. */
const constrainedValues: Record<string, Record<string, unknown>> = {
  // This file isn't purged, so `stored_bytes` counts it.
  files: { purged_at: null, purging_at: null, storage: 'disk', storage_key: newStorageKey() },
  api_keys: { scopes: [hostileText, ''] },
  settings: { key: 'installation' },
  account_tokens: { signup_id: null },
  branding: { accent: '#a1b2c3', logo: Buffer.from([0, 1, 10, 92, 255]) },
}

function createValue({ enumValues, dataType, columnType }: PgColumn): unknown {
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

/** Returns all rows in a database as text, by table name. */
async function readContent(pool: pg.Pool): Promise<Record<string, string[]>> {
  const content: Record<string, string[]> = {}
  const readRows = async (table: string, query: string) => {
    const { rows } = await pool.query<{ text: string }>(query)
    content[table] = rows.map(({ text }) => text).toSorted()
  }
  for (const name of tables.map(getTableName)) {
    if (name === 'uploads') continue
    // The connection determines which `stored_bytes` row counts a file, so compare only the sums.
    if (name === 'stored_bytes') {
      await readRows(
        name,
        'select storage || sum(bytes) as text from stored_bytes group by storage',
      )
    } else await readRows(name, `select t::text as text from "${name}" t`)
  }
  await readRows(
    'mail',
    `select j::text as text from pgboss.job j where name = '${emailQueueName}'`,
  )
  return content
}

it('a backup restores every row of every table, whatever its values', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'mayfly-every-row-'))
  const [from, to] = [await emptyDatabase(), await emptyDatabase()]
  const config = readConfig({ DATA_DIR: folder, DATABASE_URL: from.url })
  const source = await openDatabase(config, log)
  const target = await openDatabase({ dataDir: folder, databaseUrl: to.url }, log)
  try {
    const queue = await openJobQueue(source.pool, log)
    await queue.emails.add({ kind: 'signup', signupId: hostileText })
    await queue.stop()
    await (await openJobQueue(target.pool, log)).stop()
    await fillEveryTable(source.pool)
    // A backup has no uploads.
    await source.pool.query('delete from uploads')
    await recountLinks(source.db, 'all')
    const content = await readContent(source.pool)
    for (const [table, rows] of Object.entries(content)) expect(rows, table).not.toEqual([])
    const backupFolder = join(folder, 'backup')
    const extraRowSets = [{ table: 'pgboss.job', where: `name = '${emailQueueName}'` }]
    const clock = () => new Date()
    await makeBackup(backupFolder, { config, clock, log, extraRowSets })
    await source.pool.query(`delete from settings where key = 'last_backup'`)
    await restoreBackup(await verifyBackup(backupFolder), {
      config,
      clock,
      pool: target.pool,
      extraRowSets,
    })
    expect(await readContent(target.pool)).toEqual(content)
    // New audit log entries get the next ids after the restored ones.
    await target.pool.query(
      'insert into audit_log (at, action, details) select at, action, details from audit_log',
    )
    expect(await target.pool.query('select id from audit_log order by id')).toMatchObject({
      rows: [{ id: '1' }, { id: '2' }],
    })
  } finally {
    for (const { close } of [source, target]) await close()
    for (const { drop } of [from, to]) await drop()
    await rm(folder, { recursive: true })
  }
})
