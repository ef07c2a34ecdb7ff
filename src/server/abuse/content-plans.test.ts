import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { insertLinkedFilesSql } from '../../../tests/support/linked-files.ts'
import { analyzedPlansOf, countRowsRead } from '../../../tests/support/query-plans.ts'
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts'
import { takeDownBlocked } from '../files/queries.ts'
import { listFilesToHash } from './queries.ts'

/*
 * Tests that the digest job, which runs every minute, reads few rows even if the table is full of
 * files that are already hashed.
 */

const hashedFileCount = 10_000
/** How many files each query should find. */
const dueCount = 30

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
  const now = app.clock()
  const insertHashedFilesSql = insertLinkedFilesSql(
    `owner_id, storage, storage_key, original_name, mime_type, size, short_code, sha256,
      is_content_proved, created_at, expires_at, max_lifetime_at, purge_at`,
    `select 'user-' || n % 1000, $1::text, $2 || n, 'Report.pdf', 'application/pdf', n, $2 || n,
      case when $3::boolean then encode(sha256(n::text::bytea), 'hex') end, $4::boolean, $5::timestamptz,
      $5::timestamptz + interval '3 days', $5::timestamptz + interval '30 days',
      $5::timestamptz + interval '3 days'
    from generate_series(1, $6::int) n`,
  )
  await app.pool.query(
    `insert into users (id, name, email, created_at, updated_at)
      select 'user-' || n, 'Ada', n || '@example.org', $1, $1 from generate_series(0, 999) n`,
    [now],
  )
  await app.pool.query(insertHashedFilesSql, ['disk', 'hashed-', true, true, now, hashedFileCount])
  await app.pool.query(insertHashedFilesSql, [
    's3',
    'unhashed-',
    false,
    false,
    now,
    hashedFileCount / 10,
  ])
  await app.pool.query(insertHashedFilesSql, ['disk', 'due-', false, false, now, dueCount])
  await app.pool.query('vacuum analyze files')
})
afterAll(() => app.close())

async function countFilesRead(work: () => Promise<unknown>): Promise<number> {
  const plans = await analyzedPlansOf(app.pool, work)
  const filePlans = plans.filter((plan) => / on files\b/.test(plan))
  expect(filePlans.length).toBeGreaterThan(0)
  for (const plan of plans) expect(plan).not.toContain('Seq Scan on files')
  return filePlans.reduce((sum, plan) => sum + countRowsRead(plan, 'files'), 0)
}

describe('the search for files without a SHA-256', () => {
  it('reads each unhashed file of the store exactly once, page by page', async () => {
    const { db } = app.deps
    const halfCount = dueCount / 2
    const readCount = await countFilesRead(async () => {
      const firstPage = await listFilesToHash(db, 'disk', null, halfCount)
      const lastPage = await listFilesToHash(db, 'disk', firstPage.at(-1)?.id ?? null, dueCount)
      expect([firstPage.length, lastPage.length]).toEqual([halfCount, halfCount])
    })
    expect(readCount).toBe(dueCount)
  })

  it('reads one index entry and no file if all files are hashed', async () => {
    await app.pool.query(`update files set is_content_proved = true where storage_key like 'due-%'`)
    await app.pool.query('vacuum analyze files')
    const readCount = await countFilesRead(async () => {
      expect(await listFilesToHash(app.deps.db, 'disk', null, dueCount)).toEqual([])
    })
    expect(readCount).toBe(1)
  })
})

describe('the search for blocked content', () => {
  beforeAll(async () => {
    await app.pool.query(
      `insert into blocked_content (sha256, size, reason, blocked_at)
        select 'blocked ' || n, $1 + n, 'It is malware.', $2 from generate_series(1, $3::int) n`,
      [hashedFileCount * 2, app.clock(), dueCount],
    )
    await app.pool.query('vacuum analyze files, blocked_content')
  })

  it('uses an index on the SHA-256', async () => {
    const { clock, db } = app.deps
    const options = { sha256: undefined, limit: 100, now: clock() }
    const readCount = await countFilesRead(async () => {
      expect(await db.transaction((tx) => takeDownBlocked(tx, options))).toEqual([])
    })
    expect(readCount).toBeLessThanOrEqual(8 * dueCount)
  })
})
