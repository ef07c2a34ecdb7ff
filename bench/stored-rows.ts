import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { insertUsers } from '../tests/support/insert-users.ts'
import { type HttpClient, makeHttpClient } from './http-client.ts'
import { waitForRuns } from './job-runs.ts'
import type { Cores } from './machine.ts'
import { type Mayfly, signIn, startMayfly, uploadFile } from './mayfly.ts'
import { createRow, type Row } from './report.ts'

const fileCount = 600_000
const ownerCount = 20_000
const filesPerStatement = 100_000
const uploadCount = 500
const downloadCount = 1_000
const sampledFileCount = 200
/** WAL is measured for this many downloads of each sampled file, starting with the first one. */
const downloadsPerFile = 20
/**
 * How many codes `measureCodeWal` inserts before it measures the insertion of `newCodeCount` more.
 */
const initialCodeCount = 300_000
const newCodeCount = 1_000
const lookUpCount = 20_000
const fileBytes = 1024

/**
 * Returns SQL for a random ten-character code. `number` is an SQL expression that differs per row,
 * so that the code does too.
 */
function randomCodeSql(number: string): string {
  return `translate(substr(encode(sha256((random()::text || ${number})::bytea), 'base64'), 1, 10), '+/', 'xy')`
}

const nameSql = `'Report ' || n || ' of the working group.pdf'`

/**
 * Inserts files $1 to $2 as if they had been uploaded in order over 29 days. Most links have
 * expired but can be renewed.
 */
const insertFilesSql = `
  with made as (
    select gen_random_uuid() as id, 'owner ' || 1 + (random() * ($3::int - 1))::int as owner_id,
      ${randomCodeSql('n')} as short_code, n, age
    from generate_series($1::int, $2::int) n,
      lateral (select now() - interval '29 days' * (1 - n / $4::float8) as age) ages),
  codes as (
    insert into short_codes select short_code, age from made),
  new_links as (
    insert into links (id, owner_id, short_code, expiration_days, max_lifetime_days, created_at,
      ready_at, expires_at, max_lifetime_at, file_count, pending_count, total_size, first_name)
    select id, owner_id, short_code, 3, 30, age, age, age + interval '3 days',
      age + interval '30 days', 1, 0, 1000 + n, ${nameSql} from made),
  new_files as (
    insert into files (id, link_id, position, owner_id, storage, storage_key, original_name,
      mime_type, size, created_at, upload_duration, sha256, is_content_proved, purge_at)
    select id, id, 0, owner_id, 'disk', substr(encode(sha256((n || 'key')::bytea), 'hex'), 1, 26),
      ${nameSql}, 'application/pdf', 1000 + n, age, 1.5,
      encode(sha256(n::text::bytea), 'hex'), true, age + interval '30 days' from made)
  insert into file_downloads select id, age::date, 1 from made`

/** Selects the size of each table and index. */
const sizesSql = `
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
 * for lookups. docs/scale.md quotes these figures.
 */
export async function measureStoredRows(cores: Cores, scratch: string): Promise<Row[]> {
  const mayfly = await startMayfly(join(scratch, 'stored-rows'), cores.server)
  const http = makeHttpClient(1)
  try {
    await insertRows(mayfly)
    return [
      ...(await measureRowSizes(mayfly)),
      ...(await measureJobs(mayfly)),
      ...(await measureRequestWal(mayfly, http)),
      ...(await measureStatistics(mayfly)),
      ...(await measureCodeWal(mayfly)),
      ...(await measureFileRowWal(mayfly)),
      ...(await measureLookUps(mayfly)),
    ]
  } finally {
    http.close()
    await mayfly.stop()
  }
}

async function insertRows(mayfly: Mayfly): Promise<void> {
  await insertUsers(mayfly.sql, ownerCount, 'premium')
  for (
    let firstFileNumber = 1;
    firstFileNumber <= fileCount;
    firstFileNumber += filesPerStatement
  ) {
    await mayfly.sql(insertFilesSql, [
      firstFileNumber,
      firstFileNumber + filesPerStatement - 1,
      ownerCount,
      fileCount,
    ])
  }
  await mayfly.sql('vacuum analyze')
}

async function measureRowSizes(mayfly: Mayfly): Promise<Row[]> {
  const relationSizes = await mayfly.sql<{ table: string; index: string | null; bytes: string }>(
    sizesSql,
    [['files', 'short_codes', 'file_downloads']],
  )
  return relationSizes.map(({ table, index, bytes }) =>
    createRow(`600,000 files: ${index ? `index ${index}` : `table ${table}`}`, 'bytes a file', {
      mayfly: [Number(bytes) / fileCount],
    }),
  )
}

/** Measures how long the frequent jobs take when they have nothing to do. */
async function measureJobs(mayfly: Mayfly): Promise<Row[]> {
  const jobs = ['expire-files', 'report-overdue']
  const idleRuns = await waitForRuns(mayfly, jobs)
  return idleRuns.map(({ job, ms }) =>
    createRow(`600,000 expired files that stay: job ${job}`, 'ms', { mayfly: [ms] }),
  )
}

/**
 * Measures the WAL of uploads and counted downloads, with and without full-page images. The first
 * change to an 8 KiB page after a checkpoint logs the entire page. In a large installation, nearly
 * every change is the first one to its page, so figures with full-page images are realistic, and
 * those without are a lower bound.
 */
async function measureRequestWal(mayfly: Mayfly, http: HttpClient): Promise<Row[]> {
  const cookie = await signIn(mayfly, http)
  const bytes = randomBytes(fileBytes)
  const rows: Row[] = []
  const codes = await mayfly.sql<{ code: string }>(
    `update links set expires_at = now() + interval '1 day' where id in
      (select id from links tablesample system (5) order by random() limit $1)
      returning short_code as code`,
    [downloadCount],
  )
  for (const [label, fullPageWrites] of [
    ['with full pages', 'on'],
    ['without full pages', 'off'],
  ] as const) {
    await mayfly.sql(`alter system set full_page_writes = ${fullPageWrites}`)
    await mayfly.sql('select pg_reload_conf()')
    const uploadWalBytes = await measureWalPerCall(mayfly, uploadCount, async () => {
      for (let n = 0; n < uploadCount; n += 1) {
        await uploadFile(mayfly, http, cookie, { name: `file-${n}`, bytes })
      }
    })
    rows.push(createRow(`WAL of an upload, ${label}`, 'bytes', { mayfly: [uploadWalBytes] }))
    // These files have no bytes to download, so only run the statement that counts a download.
    const downloadWalBytes = await measureWalPerCall(mayfly, downloadCount, async () => {
      for (const { code } of codes) await countDownload(mayfly, code)
    })
    rows.push(
      createRow(`WAL of a counted download, ${label}`, 'bytes', { mayfly: [downloadWalBytes] }),
    )
  }
  await mayfly.sql('alter system set full_page_writes = on')
  await mayfly.sql('select pg_reload_conf()')
  return rows
}

/**
 * Updates the same rows as the statement in src/server/downloads/queries.ts that counts a download.
 */
async function countDownload(mayfly: Mayfly, code: string): Promise<void> {
  await mayfly.sql(
    `with counted as (
      update files set download_count = download_count + 1, last_download_at = now()
      where link_id = (select id from links where short_code = $1) returning id, owner_id),
    of_owner as (
      insert into owner_downloads
      select owner_id, current_date, get_byte(uuid_send(id), 15) % 16, 1 from counted
      on conflict (owner_id, day, shard) do update set count = owner_downloads.count + 1)
    insert into file_downloads select id, current_date, 1 from counted
    on conflict (file_id, day) do update set count = file_downloads.count + 1`,
    [code],
  )
}

/** Measures the WAL written when a download updates its file's row, right after a checkpoint. */
async function measureFileRowWal(mayfly: Mayfly): Promise<Row[]> {
  const sampledFiles = await mayfly.sql<{ id: string }>(
    `update files set download_count = 0 where id in
      (select id from files tablesample system (5) order by random() limit $1) returning id`,
    [sampledFileCount],
  )
  await mayfly.sql('vacuum files')
  const measureDownloadWal = (earlierDownloadCount: number) =>
    measureWalPerCall(mayfly, sampledFileCount, async () => {
      for (const { id } of sampledFiles) {
        await mayfly.sql(
          'update files set download_count = $2, last_download_at = now() where id = $1',
          [id, earlierDownloadCount + 1],
        )
      }
    })
  const walBytes: number[] = []
  for (
    let earlierDownloadCount = 0;
    earlierDownloadCount < downloadsPerFile;
    earlierDownloadCount += 1
  )
    walBytes.push(await measureDownloadWal(earlierDownloadCount))
  const mean = walBytes.reduce((sum, bytes) => sum + bytes, 0) / walBytes.length
  await mayfly.sql('update files set download_count = 100 where id = any($1)', [
    sampledFiles.map(({ id }) => id),
  ])
  await mayfly.sql('vacuum files')
  return [
    createRow("WAL of a file's row, download 1", 'bytes', { mayfly: walBytes.slice(0, 1) }),
    createRow("WAL of a file's row, mean of downloads 1 to 20", 'bytes', { mayfly: [mean] }),
    createRow("WAL of a file's row, download 101", 'bytes', {
      mayfly: [await measureDownloadWal(100)],
    }),
  ]
}

/** Measures the Admin Center's counts of all files and downloads. */
async function measureStatistics(mayfly: Mayfly): Promise<Row[]> {
  const durationsMs: number[] = []
  for (let round = 0; round < 3; round += 1) {
    const startedAt = performance.now()
    await mayfly.sql('select count(*), sum(download_count) from files where deleted_at is null')
    durationsMs.push(performance.now() - startedAt)
  }
  return [createRow('600,000 files: counted for the Admin Center', 'ms', { mayfly: durationsMs })]
}

/** Measures the WAL per new code in an index, for random codes and for codes with a date prefix. */
async function measureCodeWal(mayfly: Mayfly): Promise<Row[]> {
  const rows: Row[] = []
  for (const [label, begin] of [
    ['random', "''"],
    ['that begins with its day', "lpad((n / 10000)::text, 2, '0') ||"],
  ] as const) {
    const code = begin === "''" ? randomCodeSql('n') : `${begin} ${randomCodeSql('n')}`
    await mayfly.sql('create table bench_codes (code text primary key)')
    await mayfly.sql(`insert into bench_codes select ${code} from generate_series(1, $1::int) n`, [
      initialCodeCount,
    ])
    const bytes = await measureWalPerCall(mayfly, newCodeCount, () =>
      mayfly.sql(
        `insert into bench_codes select ${code} from generate_series($1::int, $2::int) n`,
        [initialCodeCount + 1, initialCodeCount + newCodeCount],
      ),
    )
    rows.push(createRow(`WAL of a short code ${label}`, 'bytes', { mayfly: [bytes] }))
    await mayfly.sql('drop table bench_codes')
  }
  return rows
}

/** Runs `work` after a checkpoint. Returns the WAL bytes written, divided by `count`. */
async function measureWalPerCall(
  mayfly: Mayfly,
  count: number,
  work: () => Promise<unknown>,
): Promise<number> {
  await mayfly.sql('checkpoint')
  const [positionBefore] = await mayfly.sql<{ at: string }>(
    'select pg_current_wal_insert_lsn() as at',
  )
  await work()
  const [walRow] = await mayfly.sql<{ bytes: string }>(
    'select pg_current_wal_insert_lsn() - $1::pg_lsn as bytes',
    [positionBefore?.at],
  )
  return Number(walRow?.bytes) / count
}

/**
 * Compares lookups through the index on `links.short_code`, which the product uses, with lookups in
 * a separate table.
 */
async function measureLookUps(mayfly: Mayfly): Promise<Row[]> {
  await mayfly.sql('create table bench_codes as select short_code as code, id from links')
  await mayfly.sql('alter table bench_codes add primary key (code)')
  await mayfly.sql('vacuum analyze bench_codes')
  await mayfly.sql(
    `create table bench_wanted as select short_code as code from links
      tablesample system (10) order by random() limit ${lookUpCount}`,
  )
  const lookUpStatements = {
    'the index of links': 'select owner_id into found from links where short_code = wanted',
    'a table of codes': `select owner_id into found from bench_codes
      join links on links.id = bench_codes.id where bench_codes.code = wanted`,
  }
  const durationsByWay = new Map<string, number[]>()
  for (let round = 0; round < 4; round += 1) {
    for (const [way, query] of Object.entries(lookUpStatements)) {
      const startedAt = performance.now()
      await mayfly.sql(`do $$ declare wanted text; found text; begin
        for wanted in select code from bench_wanted loop ${query}; end loop; end $$`)
      const microseconds = ((performance.now() - startedAt) / lookUpCount) * 1000
      // Skip the first round, which reads pages from disk.
      if (round > 0) durationsByWay.set(way, [...(durationsByWay.get(way) ?? []), microseconds])
    }
  }
  return [...durationsByWay].map(([way, durations]) =>
    createRow(`a lookup by ${way}`, 'µs', { mayfly: durations }),
  )
}
