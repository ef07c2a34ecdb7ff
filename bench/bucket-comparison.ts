import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { PutObjectCommand } from '@aws-sdk/client-s3'
import { missingCephPrograms } from '../scripts/ceph.mjs'
import { createBucket, type TestBucket } from '../tests/support/bucket.ts'
import { fillUsers } from '../tests/support/fill-users.ts'
import { startRadosgw } from '../tests/support/radosgw.ts'
import { keyOfObject, keyOfRow } from './bucket-keys.ts'
import { fillInBulk } from './fill-in-bulk.ts'
import { pauseJobs, withJobs } from './job-runs.ts'
import type { Cores } from './machine.ts'
import { type Mayfly, startMayfly } from './mayfly.ts'
import { peakBytes, resetPeak } from './process-cost.ts'
import { type Row, row } from './report.ts'
import { thirdsOf, watchMemory } from './watch-memory.ts'

const pagedCount = 1_000_000
/** How many objects of the listing no row names. The comparison removes them. */
const orphanCount = 1_000
/** How many rows name an object that the bucket does not have. */
const missingCount = 100
/** The real bucket is filled for this time, or until it has `mostFilled` objects. */
const fillingMs = 100_000
const mostFilled = 100_000
const writersAtOnce = 16
const objectBytes = Buffer.alloc(100)
const ownerCount = 20_000
/** How long a comparison may take. */
const longestMs = 900_000
const mebibyte = 1024 ** 2

const fillFiles = `
  insert into files (owner_id, storage, storage_key, original_name, mime_type, size, short_code,
    created_at, expires_at, max_lifetime_at)
  select 'owner ' || 1 + n % $2::int, 's3', ${keyOfRow}, 'Report ' || n || '.pdf',
    'application/pdf', 100, 'code-' || n, now() - interval '2 days', now() + interval '1 day',
    now() + interval '28 days'
  from generate_series(1, $1::int) n`

/**
 * Measures the nightly comparison of a bucket with the database: how many objects it compares per
 * second, and whether the memory stays flat. First with a real S3 server, which is filled with as
 * many objects as it takes in 100 s. Then with a million objects, which a small server of this
 * benchmark only lists.
 * @throws {Error} when a comparison finds something else than there is.
 */
export async function measureBucketComparison(cores: Cores, scratch: string): Promise<Row[]> {
  return [...(await compareReal(cores, scratch)), ...(await comparePaged(cores, scratch))]
}

async function compareReal(cores: Cores, scratch: string): Promise<Row[]> {
  const missing = missingCephPrograms()
  if (missing.length > 0) {
    console.error(`No real S3 server is measured: ${missing.join(', ')} is not installed.`)
    return []
  }
  const s3 = await startRadosgw()
  try {
    const bucket = await createBucket(s3)
    let perSecond = 0
    const fill = async () => {
      const began = performance.now()
      const count = await fillBucket(bucket)
      perSecond = count / ((performance.now() - began) / 1000)
      const result = { objects: count, removed: 0, failed: 0, missing: missingCount }
      return { files: count + missingCount, result }
    }
    const rows = await compare(cores, join(scratch, 'radosgw'), bucket.env, 'radosgw', fill)
    bucket.client.destroy()
    return [row('radosgw is filled', 'objects/s', { ours: [perSecond] }), ...rows]
  } finally {
    await s3.stop()
  }
}

/** Writes objects with the keys from number 1 on. Returns how many. */
async function fillBucket({ client, settings }: TestBucket): Promise<number> {
  const until = performance.now() + fillingMs
  let count = 0
  const write = async () => {
    while (count < mostFilled && performance.now() < until) {
      count += 1
      const Key = `files/${keyOfObject(count)}`
      await client.send(new PutObjectCommand({ Bucket: settings.bucket, Key, Body: objectBytes }))
    }
  }
  await Promise.all(Array.from({ length: writersAtOnce }, write))
  return count
}

async function comparePaged(cores: Cores, scratch: string): Promise<Row[]> {
  const files = pagedCount - orphanCount + missingCount
  // The listing lacks the objects of the first rows. Its last objects have no rows.
  const [first, last] = [missingCount + 1, files + orphanCount]
  const program = fileURLToPath(new URL('./paging-server.ts', import.meta.url))
  const server = fork(program, [String(first), String(last)])
  try {
    const env = {
      S3_BUCKET: 'bench',
      S3_ENDPOINT: `http://127.0.0.1:${await portOf(server)}`,
      S3_ACCESS_KEY_ID: 'bench',
      S3_SECRET_ACCESS_KEY: 'bench',
    }
    const fill = async () => {
      server.send('filled')
      const result = { objects: pagedCount, removed: orphanCount, failed: 0, missing: missingCount }
      return { files, result }
    }
    return await compare(cores, join(scratch, 'paged'), env, 'paging server', fill)
  } finally {
    server.disconnect()
  }
}

async function portOf(server: ChildProcess): Promise<number> {
  const [port] = (await once(server, 'message')) as [number]
  return port
}

/** How many rows of files there are to be, and what the comparison must find then. */
interface Filled {
  files: number
  result: Record<string, number>
}

/**
 * @param fill puts objects into the bucket. It runs after the first start of the server, because a
 * server with a new database refuses a bucket that has files already.
 */
async function compare(
  cores: Cores,
  dataDir: string,
  env: Record<string, string>,
  where: string,
  fill: () => Promise<Filled>,
): Promise<Row[]> {
  const mayfly = await startMayfly(dataDir, cores.server, { env })
  try {
    await pauseJobs(mayfly)
    const { files, result } = await fill()
    await fillUsers(mayfly.sql, ownerCount, 'premium')
    await fillInBulk(mayfly, ['files'], [[fillFiles, [files, ownerCount]]])
    const { run, memory, peak } = await runComparison(mayfly)
    const objects = result.objects ?? 0
    if (JSON.stringify(sorted(run.result)) !== JSON.stringify(sorted(result))) {
      throw new Error(`${where}: the comparison found ${JSON.stringify(run.result)}`)
    }
    const what = `comparison of ${objects.toLocaleString('en')} objects, ${where}`
    const thirds = thirdsOf(memory)
    return [
      row(what, 'objects/s', { ours: [objects / (run.ms / 1000)] }),
      row(`${what}: the whole`, 's', { ours: [run.ms / 1000] }),
      row(`${what}: memory, first third of the time`, 'MiB', { ours: thirds.first }),
      row(`${what}: memory, second third`, 'MiB', { ours: thirds.middle }),
      row(`${what}: memory, last third`, 'MiB', { ours: thirds.last }),
      row(`${what}: memory`, 'peak MiB', { ours: [peak / mebibyte] }),
    ]
  } finally {
    await mayfly.stop()
  }
}

async function runComparison(mayfly: Mayfly) {
  const pids = mayfly.pids()
  const over = new AbortController()
  resetPeak(pids)
  const watched = watchMemory(pids, over.signal)
  const run = await withJobs(mayfly, (runJob) => runJob('compare-storage', longestMs))
  over.abort()
  return { run, memory: await watched, peak: peakBytes(pids) }
}

function sorted(counts: Record<string, number>) {
  return Object.entries(counts).sort(([one], [other]) => (one < other ? -1 : 1))
}
