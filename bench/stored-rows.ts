import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { fillUsers } from '../tests/support/fill-users.ts'
import { type HttpClient, makeHttpClient } from './http-client.ts'
import { waitForRuns } from './job-runs.ts'
import type { Cores } from './machine.ts'
import { type Mayfly, signIn, startMayfly, uploadFile } from './mayfly.ts'
import { type Row, row } from './report.ts'

const fileCount = 600_000
const ownerCount = 20_000
const filesAtOnce = 100_000
const uploadCount = 500
const downloadCount = 1_000
const changedCount = 200
/** WAL is measured for this many downloads of each chosen file, starting with its first. */
const firstDownloads = 20
/** Codes in the table of `walOfCodes` before the measurement adds `codeCount`. */
const codesBefore = 300_000
const codeCount = 1_000
const lookUps = 20_000
const fileBytes = 1024

/** Returns SQL for a random ten-character code, determined by `number`. */
function randomCode(number: string): string {
  return `translate(substr(encode(sha256((random()::text || ${number})::bytea), 'base64'), 1, 10), '+/', 'xy')`
}

/**
 * Inserts files $1 to $2 as if uploaded in order within 29 days, with SHA-256 and stored bytes.
 * Most links have expired but are renewable.
 */
const fillFiles = `
  with made as (
    insert into files (owner_id, storage, storage_key, original_name, mime_type, size, short_code,
      created_at, expires_at, max_lifetime_at, upload_duration, sha256, is_content_proved,
      purge_at)
    select 'owner ' || 1 + (random() * ($3::int - 1))::int, 'disk',
      substr(encode(sha256((n || 'key')::bytea), 'hex'), 1, 26),
      'Report ' || n || ' of the working group.pdf', 'application/pdf', 1000 + n,
      ${randomCode('n')}, age, age + interval '3 days', age + interval '30 days', 1.5,
      encode(sha256(n::text::bytea), 'hex'), true,
      age + interval '30 days'
    from generate_series($1::int, $2::int) n,
      lateral (select now() - interval '29 days' * (1 - n / $4::float8) as age) ages
    returning id, short_code, created_at),
  codes as (
    insert into short_codes select short_code, created_at from made)
  insert into file_downloads select id, created_at::date, 1 from made`

/** Selects the sizes of each table and index. */
const sizes = `
  select table_name.relname as table, null as index, pg_relation_size(table_name.oid) as bytes
  from pg_class table_name where relname = any($1)
  union all
  select table_name.relname, index.relname, pg_relation_size(index.oid)
  from pg_index join pg_class table_name on table_name.oid = indrelid
    join pg_class index on index.oid = indexrelid
  where table_name.relname = any($1)
  order by 1, 2 nulls first`

/**
 * Measures the cost of 600,000 files in the database: rows and indexes, the frequent jobs, WAL per
 * upload and download, counts for the Admin Center, and two alternatives each for short codes and
 * lookups. docs/scale.md uses these figures.
 */
export async function measureStoredRows(cores: Cores, scratch: string): Promise<Row[]> {
  const mayfly = await startMayfly(join(scratch, 'stored-rows'), cores.server)
  const http = makeHttpClient(1)
  try {
    await fill(mayfly)
    return [
      ...(await sizesOfRows(mayfly)),
      ...(await jobTimes(mayfly)),
      ...(await walOfRequests(mayfly, http)),
      ...(await timeOfFigures(mayfly)),
      ...(await walOfCodes(mayfly)),
      ...(await walOfFileRow(mayfly)),
      ...(await timesOfLookUps(mayfly)),
    ]
  } finally {
    http.close()
    await mayfly.stop()
  }
}

async function fill(mayfly: Mayfly): Promise<void> {
  await fillUsers(mayfly.sql, ownerCount, 'premium')
  for (let first = 1; first <= fileCount; first += filesAtOnce) {
    await mayfly.sql(fillFiles, [first, first + filesAtOnce - 1, ownerCount, fileCount])
  }
  await mayfly.sql('vacuum analyze')
}

async function sizesOfRows(mayfly: Mayfly): Promise<Row[]> {
  const measured = await mayfly.sql<{ table: string; index: string | null; bytes: string }>(sizes, [
    ['files', 'short_codes', 'file_downloads'],
  ])
  return measured.map(({ table, index, bytes }) =>
    row(`600,000 files: ${index ? `index ${index}` : `table ${table}`}`, 'bytes a file', {
      ours: [Number(bytes) / fileCount],
    }),
  )
}

/** Measures frequent jobs when they have nothing to do. */
async function jobTimes(mayfly: Mayfly): Promise<Row[]> {
  const jobs = ['expire-files', 'report-overdue']
  const idle = await waitForRuns(mayfly, jobs)
  return idle.map(({ job, ms }) =>
    row(`600,000 expired files that stay: job ${job}`, 'ms', { ours: [ms] }),
  )
}

/**
 * Measures WAL of uploads and counted downloads, with and without full pages. Postgres logs a full
 * page of 8 KiB at its first change after a checkpoint, which in a large installation is nearly
 * every change. So figures with full pages are realistic, and those without are a lower bound.
 */
async function walOfRequests(mayfly: Mayfly, http: HttpClient): Promise<Row[]> {
  const cookie = await signIn(mayfly, http)
  const bytes = randomBytes(fileBytes)
  const rows: Row[] = []
  const codes = await mayfly.sql<{ code: string }>(
    `update files set expires_at = now() + interval '1 day' where id in
      (select id from files tablesample system (5) order by random() limit $1)
      returning short_code as code`,
    [downloadCount],
  )
  for (const [what, isWhole] of [
    ['with whole pages', 'on'],
    ['without whole pages', 'off'],
  ] as const) {
    await mayfly.sql(`alter system set full_page_writes = ${isWhole}`)
    await mayfly.sql('select pg_reload_conf()')
    const uploads = await walOf(mayfly, uploadCount, async () => {
      for (let n = 0; n < uploadCount; n += 1) {
        await uploadFile(mayfly, http, cookie, { name: `file-${n}`, bytes })
      }
    })
    rows.push(row(`WAL of an upload, ${what}`, 'bytes', { ours: [uploads] }))
    // These files have no bytes, so only the counting statement runs.
    const downloads = await walOf(mayfly, downloadCount, async () => {
      for (const { code } of codes) await countDownload(mayfly, code)
    })
    rows.push(row(`WAL of a counted download, ${what}`, 'bytes', { ours: [downloads] }))
  }
  await mayfly.sql('alter system set full_page_writes = on')
  await mayfly.sql('select pg_reload_conf()')
  return rows
}

/** Updates the same rows as the counting statement in src/server/downloads/queries.ts. */
async function countDownload(mayfly: Mayfly, code: string): Promise<void> {
  await mayfly.sql(
    `with counted as (
      update files set download_count = download_count + 1, last_download_at = now()
      where short_code = $1 returning id, owner_id),
    of_owner as (
      insert into owner_downloads
      select owner_id, current_date, get_byte(uuid_send(id), 15) % 16, 1 from counted
      on conflict (owner_id, day, shard) do update set count = owner_downloads.count + 1)
    insert into file_downloads select id, current_date, 1 from counted
    on conflict (file_id, day) do update set count = file_downloads.count + 1`,
    [code],
  )
}

/** Measures the WAL of a download's update of its file row, after a checkpoint. */
async function walOfFileRow(mayfly: Mayfly): Promise<Row[]> {
  const chosen = await mayfly.sql<{ id: string }>(
    `update files set download_count = 0 where id in
      (select id from files tablesample system (5) order by random() limit $1) returning id`,
    [changedCount],
  )
  await mayfly.sql('vacuum files')
  const bytesOf = (before: number) =>
    walOf(mayfly, changedCount, async () => {
      for (const { id } of chosen) {
        await mayfly.sql(
          'update files set download_count = $2, last_download_at = now() where id = $1',
          [id, before + 1],
        )
      }
    })
  const first: number[] = []
  for (let before = 0; before < firstDownloads; before += 1) first.push(await bytesOf(before))
  const mean = first.reduce((sum, bytes) => sum + bytes, 0) / first.length
  await mayfly.sql('update files set download_count = 100 where id = any($1)', [
    chosen.map(({ id }) => id),
  ])
  await mayfly.sql('vacuum files')
  return [
    row("WAL of a file's row, download 1", 'bytes', { ours: first.slice(0, 1) }),
    row("WAL of a file's row, mean of downloads 1 to 20", 'bytes', { ours: [mean] }),
    row("WAL of a file's row, download 101", 'bytes', { ours: [await bytesOf(100)] }),
  ]
}

/** Measures the Admin Center's counts of all files and downloads. */
async function timeOfFigures(mayfly: Mayfly): Promise<Row[]> {
  const ours: number[] = []
  for (let round = 0; round < 3; round += 1) {
    const started = performance.now()
    await mayfly.sql('select count(*), sum(download_count) from files where deleted_at is null')
    ours.push(performance.now() - started)
  }
  return [row('600,000 files: counted for the Admin Center', 'ms', { ours })]
}

/** Measures WAL per new code in an index, for random codes and for codes with a date prefix. */
async function walOfCodes(mayfly: Mayfly): Promise<Row[]> {
  const rows: Row[] = []
  for (const [what, begin] of [
    ['random', "''"],
    ['that begins with its day', "lpad((n / 10000)::text, 2, '0') ||"],
  ] as const) {
    const code = begin === "''" ? randomCode('n') : `${begin} ${randomCode('n')}`
    await mayfly.sql('create table bench_codes (code text primary key)')
    await mayfly.sql(`insert into bench_codes select ${code} from generate_series(1, $1::int) n`, [
      codesBefore,
    ])
    const bytes = await walOf(mayfly, codeCount, () =>
      mayfly.sql(
        `insert into bench_codes select ${code} from generate_series($1::int, $2::int) n`,
        [codesBefore + 1, codesBefore + codeCount],
      ),
    )
    rows.push(row(`WAL of a short code ${what}`, 'bytes', { ours: [bytes] }))
    await mayfly.sql('drop table bench_codes')
  }
  return rows
}

/** Runs `act` after a checkpoint. Returns WAL bytes divided by `count`. */
async function walOf(mayfly: Mayfly, count: number, act: () => Promise<unknown>): Promise<number> {
  await mayfly.sql('checkpoint')
  const [before] = await mayfly.sql<{ at: string }>('select pg_current_wal_insert_lsn() as at')
  await act()
  const [written] = await mayfly.sql<{ bytes: string }>(
    'select pg_current_wal_insert_lsn() - $1::pg_lsn as bytes',
    [before?.at],
  )
  return Number(written?.bytes) / count
}

/**
 * Compares lookups by the index on `files.short_code`, as in the product, with a separate table.
 */
async function timesOfLookUps(mayfly: Mayfly): Promise<Row[]> {
  await mayfly.sql('create table bench_links as select short_code as code, id from files')
  await mayfly.sql('alter table bench_links add primary key (code)')
  await mayfly.sql('vacuum analyze bench_links')
  await mayfly.sql(
    `create table bench_wanted as select short_code as code from files
      tablesample system (10) order by random() limit ${lookUps}`,
  )
  const ways = {
    'the index of files': 'select owner_id into found from files where short_code = wanted',
    'a table of codes': `select owner_id into found from bench_links
      join files on files.id = bench_links.id where bench_links.code = wanted`,
  }
  const times = new Map<string, number[]>()
  for (let round = 0; round < 4; round += 1) {
    for (const [way, query] of Object.entries(ways)) {
      const started = performance.now()
      await mayfly.sql(`do $$ declare wanted text; found text; begin
        for wanted in select code from bench_wanted loop ${query}; end loop; end $$`)
      const us = ((performance.now() - started) / lookUps) * 1000
      // The first round reads pages from disk.
      if (round > 0) times.set(way, [...(times.get(way) ?? []), us])
    }
  }
  return [...times].map(([way, ours]) => row(`a look-up by ${way}`, 'µs', { ours }))
}
