import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { rowsReadOf, runPlansOf } from '../../../tests/support/query-plans.ts'
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts'
import { takeDownBlocked } from '../files/queries.ts'
import { listUnproved, listWithoutSha256 } from './queries.ts'

/*
 * What the jobs that compare content read each minute, among many files that do not concern them.
 */

/** How many files there are in a bucket, with a SHA-256 that only their senders claim. */
const claimedCount = 10_000
/** How many files there are on the disk, with a SHA-256 that the server has computed. */
const provedCount = 10_000
/** How many files concern each query. */
const dueCount = 30

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
  const now = app.clock()
  const many = `insert into files (owner_id, storage, storage_key, original_name, mime_type, size,
      short_code, sha256, is_content_proved, created_at, expires_at, max_lifetime_at, purge_at)
    select 'user-' || n % 1000, $1, $2 || n, 'Report.pdf', 'application/pdf', n, $2 || n,
      case when $3 then encode(sha256(n::text::bytea), 'hex') end, $4, $5::timestamptz,
      $5::timestamptz + interval '3 days', $5::timestamptz + interval '30 days',
      $5::timestamptz + interval '3 days'
    from generate_series(1, $6::int) n`
  await app.pool.query(
    `insert into users (id, name, email, created_at, updated_at)
      select 'user-' || n, 'Ada', n || '@example.org', $1, $1 from generate_series(0, 999) n`,
    [now],
  )
  await app.pool.query(many, ['s3', 'claimed-', true, false, now, claimedCount])
  await app.pool.query(many, ['disk', 'proved-', true, true, now, provedCount])
  await app.pool.query(many, ['s3', 'unnamed-', false, false, now, claimedCount / 10])
  await app.pool.query(many, ['disk', 'due-', false, false, now, dueCount])
  await app.pool.query('vacuum analyze files')
})
afterAll(() => app.close())

/** Returns how many files, or entries of their indexes, the work reads. */
async function filesRead(work: () => Promise<unknown>): Promise<number> {
  const plans = await runPlansOf(app.pool, work)
  const ofFiles = plans.filter((plan) => / on files\b/.test(plan))
  expect(ofFiles.length).toBeGreaterThan(0)
  for (const plan of plans) expect(plan).not.toContain('Seq Scan on files')
  return ofFiles.reduce((sum, plan) => sum + rowsReadOf(plan, 'files'), 0)
}

describe('the job that computes missing SHA-256 digests', () => {
  it('reads only the files of the store that have none, each once, page by page', async () => {
    const { db } = app.deps
    const half = dueCount / 2
    const read = await filesRead(async () => {
      const first = await listWithoutSha256(db, 'disk', null, half)
      const last = await listWithoutSha256(db, 'disk', first.at(-1)?.id ?? null, dueCount)
      expect([first.length, last.length]).toEqual([half, half])
    })
    expect(read).toBe(dueCount)
  })

  it('searches an index once, and reads no file, where every file has one', async () => {
    await app.pool.query(`update files set sha256 = 'known' where storage_key like 'due-%'`)
    await app.pool.query('vacuum analyze files')
    const read = await filesRead(async () => {
      expect(await listWithoutSha256(app.deps.db, 'disk', null, dueCount)).toEqual([])
    })
    expect(read).toBe(1)
  })
})

describe('the job that finds blocked content', () => {
  /** Some content is blocked, and some files are taken down whose content is not known yet. */
  beforeAll(async () => {
    await app.pool.query(
      `insert into blocked_content (sha256, size, reason, blocked_at)
        select 'blocked ' || n, $1 + n, 'It is malware.', $2 from generate_series(1, $3::int) n`,
      [claimedCount / 2, app.clock(), dueCount],
    )
    await app.pool.query(
      `update files set taken_down_at = $1, purging_at = $1, purge_due_at = $1, purge_at = $1
        where storage_key in (select 'claimed-' || n from generate_series(1, $2::int) n)`,
      [app.clock(), dueCount],
    )
    await app.pool.query('vacuum analyze files, blocked_content')
  })

  it('reads only the files of a blocked size, and those that were taken down', async () => {
    const { db } = app.deps
    const read = await filesRead(async () => {
      const first = await listUnproved(db, null, dueCount)
      const last = await listUnproved(db, first.at(-1)?.id ?? null, 2 * dueCount)
      expect([first.length, last.length]).toEqual([dueCount, dueCount])
      const ids = [...first, ...last].map(({ id }) => id)
      expect(ids).toEqual([...new Set(ids)].toSorted())
    })
    expect(read).toBeLessThanOrEqual(8 * dueCount)
  })

  it('looks blocked content up by its SHA-256', async () => {
    const { clock, db } = app.deps
    const wanted = { sha256: undefined, limit: 100, now: clock() }
    const read = await filesRead(async () => {
      expect(await db.transaction((tx) => takeDownBlocked(tx, wanted))).toEqual([])
    })
    expect(read).toBeLessThanOrEqual(8 * dueCount)
  })
})
