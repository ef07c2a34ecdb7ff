import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { insertLinkedFilesSql } from '../../../tests/support/linked-files.ts'
import { makePerson, type Person } from '../../../tests/support/make.ts'
import { insertFiles } from '../../../tests/support/many-files.ts'
import { analyzedPlansOf, countRowsRead } from '../../../tests/support/query-plans.ts'
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts'
import { files } from '../db/schema.ts'
import { expireFiles, reportOverdue } from '../files/expire-files.ts'
import { queueExpiryEmails } from '../files/file-emails.ts'
import { findOwnersOfFirstDownloads, takeFirstDownloads } from '../files/preference-queries.ts'
import { claimDueFiles } from '../files/purge-queries.ts'
import { forgetReceiptNames } from '../files/receipt-queries.ts'
import { queueRequestReminders } from '../requests/request-emails.ts'
import { expireTrials, setTier } from '../tiers/set-tier.ts'
import { findReferencedKeys, listReferencedKeys } from './queries.ts'

/*
 * These tests count the rows that jobs read when most rows are irrelevant, using the actual query
 * plans. A job that runs every few minutes must not scan a whole table.
 */

const minute = 60_000
const day = 24 * 60 * minute
/** Number of expired files that their owners can renew. */
const storedCount = 15_000
/** Number of purged files. Their rows stay in the owners' lists. */
const purgedCount = 15_000
const ownerCount = 500
const userCount = 10_000
/** How many rows each test's job must handle, and how many rows it may read. */
const dueCount = 30
const maxReadCount = 20 * dueCount

type Table = 'files' | 'users' | 'requests' | 'first_downloads' | 'deletion_receipts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
  const now = app.clock()
  await app.pool.query(
    `insert into users (id, name, email, tier, premium_trial_ends_at, created_at, updated_at)
      select 'user-' || n, 'Ada', n || '@example.org', 'premium',
        case when n > $1 - 500 then $2::timestamptz + interval '200 days' end, $2, $2
      from generate_series(1, $1::int) n`,
    [userCount, now],
  )
  await app.pool.query(
    insertLinkedFilesSql(
      `owner_id, storage, storage_key, original_name, mime_type, size, short_code, created_at,
        expires_at, max_lifetime_at, purge_at`,
      `select 'user-' || 1 + n % $3::int, 'disk', 'kept-' || n, 'Report ' || n || '.pdf',
        'application/pdf', n, 'kept-' || n, $1::timestamptz, $1::timestamptz - interval '1 hour',
        $1::timestamptz + interval '300 days', $1::timestamptz + interval '300 days'
      from generate_series(1, $2::int) n`,
    ),
    [now, storedCount, ownerCount],
  )
  await app.pool.query(
    insertLinkedFilesSql(
      `owner_id, storage, storage_key, original_name, mime_type, size, short_code, created_at,
        expires_at, max_lifetime_at, purging_at, purge_due_at, purge_at, purged_at`,
      `select 'user-' || 1 + n % $3::int, 'disk', 'purged-' || n, 'Report ' || n || '.pdf',
        'application/pdf', n, 'purged-' || n, ended - interval '3 days', ended,
        ended + interval '27 days', ended, ended, ended, ended + interval '1 minute'
      from generate_series(1, $2::int) n,
        lateral (select $1::timestamptz - interval '1 day' - n * interval '1 minute' as ended) ends`,
    ),
    [now, purgedCount, ownerCount],
  )
  await app.pool.query('vacuum analyze users, links, files')
})
afterAll(() => app.close())

/** Returns how many rows `work` reads from a table. Asserts that it never scans the whole table. */
async function measureRowsRead(table: Table, work: () => Promise<unknown>) {
  const plans = await analyzedPlansOf(app.pool, work)
  const tablePlans = plans.filter((plan) => new RegExp(` on ${table}\\b`).test(plan))
  expect(tablePlans.length).toBeGreaterThan(0)
  for (const plan of plans)
    expect(plan).not.toMatch(
      /Seq Scan on (files|users|uploads|first_downloads|deletion_receipts)\b/,
    )
  return tablePlans.reduce((sum, plan) => sum + countRowsRead(plan, table), 0)
}

/** Asserts that `work` reads each due row, and few others. */
async function expectFewReads(table: Table, work: () => Promise<unknown>) {
  const rowCount = await measureRowsRead(table, work)
  expect(rowCount).toBeGreaterThanOrEqual(dueCount)
  expect(rowCount).toBeLessThan(maxReadCount)
}

async function reportDueFiles() {
  expect(await reportOverdue(app.deps)).toBe(dueCount)
}
async function purgeDueFiles() {
  expect(await expireFiles(app.deps)).toEqual({ purged: dueCount, failed: 0 })
}

describe('the purge and the report of overdue files', () => {
  it('read only due files', async () => {
    const freeOwner = await makePerson(app)
    await insertFiles(app, freeOwner.id, dueCount)
    app.clock.advance(4 * day)
    await expectFewReads('files', reportDueFiles)
    await expectFewReads('files', purgeDueFiles)
  })

  it('read only one batch if many files are due', async () => {
    const freeOwner = await makePerson(app)
    await insertFiles(app, freeOwner.id, 1000)
    app.clock.advance(4 * day)
    const request = { storage: 'disk', now: app.clock(), limit: dueCount } as const
    await expectFewReads('files', () => claimDueFiles(app.deps.db, request))
    await app.deps.db.delete(files).where(eq(files.ownerId, freeOwner.id))
    await app.pool.query('vacuum (index_cleanup on) files')
  })

  it('read only the files of an owner whose tier has changed', async () => {
    const owner = await makePerson(app, { tier: 'premium' })
    await insertFiles(app, owner.id, dueCount)
    app.clock.advance(4 * day)
    await expectFewReads('files', () => switchToFree(owner))
    app.clock.advance(15 * minute)
    await expectFewReads('files', reportDueFiles)
    await expectFewReads('files', purgeDueFiles)
  })
})

describe('the emails about expiring links', () => {
  /**
   * The first `dueCount` owners want emails, and each has one file whose link expires within a day.
   */
  beforeAll(async () => {
    await app.pool.query(
      `insert into preferences select 'user-' || n, 3, true, true from generate_series(1, $1::int) n`,
      [dueCount],
    )
    await app.pool.query(
      insertLinkedFilesSql(
        `owner_id, storage, storage_key, original_name, mime_type, size, short_code, created_at,
          expires_at, max_lifetime_at, purge_at`,
        `select 'user-' || n, 'disk', 'ending-' || n, 'Report.pdf', 'application/pdf', n, 'ending-' || n,
          $1::timestamptz, $1::timestamptz + interval '12 hours', $1::timestamptz + interval '30 days',
          $1::timestamptz + interval '30 days'
        from generate_series(1, $2::int) n`,
      ),
      [app.clock(), dueCount],
    )
    await app.pool.query('vacuum analyze preferences')
  })

  it('read only the files whose links expire soon', async () => {
    await expectFewReads('files', async () =>
      expect(await queueExpiryEmails(app.deps)).toEqual({ notifiedCount: dueCount }),
    )
  })
})

describe('the reminders of requests', () => {
  it('read only requests that close soon', async () => {
    const requestCount = 10_000
    await app.pool.query(
      `insert into requests (owner_id, code, title, created_at, closes_at)
        select 'user-' || 1 + n % $3::int, 'request-' || n, 'Photos', $1::timestamptz - interval '90 days',
          case when n <= $4 then $1::timestamptz + interval '12 hours'
            else $1::timestamptz + (30 - n % 90) * interval '1 day' + interval '25 hours' end
        from generate_series(1, $2::int) n
        where n <= $4 or n % 90 <> 30 and n % 90 <> 31`,
      [app.clock(), requestCount, ownerCount, dueCount],
    )
    await app.pool.query('vacuum analyze requests')
    await expectFewReads('requests', async () =>
      expect(await queueRequestReminders(app.deps)).toBe(dueCount),
    )
  })
})

describe('the emails about first downloads', () => {
  it('read only the rows of the notified owners', async () => {
    const filesPerOwner = 10
    await app.pool.query(
      `insert into first_downloads select link_id, owner_id from files
        where storage_key in (select 'kept-' || n from generate_series(1, $1::int) n)`,
      [ownerCount * filesPerOwner],
    )
    await app.pool.query('vacuum analyze first_downloads')
    const { db } = app.deps
    let owners: string[] = []
    const rowsReadForOwners = await measureRowsRead('first_downloads', async () => {
      owners = await findOwnersOfFirstDownloads(db, 'user-3', dueCount)
    })
    expect(owners).toHaveLength(dueCount)
    expect(rowsReadForOwners).toBeLessThanOrEqual((dueCount + 1) * filesPerOwner)
    const [ownerId = ''] = owners
    const rowsReadForFiles = await measureRowsRead('first_downloads', async () => {
      expect(await takeFirstDownloads(db, ownerId, 1000)).toHaveLength(filesPerOwner)
    })
    expect(rowsReadForFiles).toBeLessThanOrEqual(5 * filesPerOwner)
  })
})

describe('the removal of old names from receipts', () => {
  it('reads only receipts with old names', async () => {
    const insertReceiptsSql = `insert into deletion_receipts
        (file_id, owner_id, storage, storage_key, original_name, due_at, purged_at)
      select gen_random_uuid(), 'user-1', 'disk', 'removed', name, purged, purged
      from generate_series(1, $1::int) n,
        lateral (select $2::timestamptz - n * interval '10 minutes' as purged) dates,
        lateral (select case when n <= $3 then 'Report.pdf' end as name) names`
    const receiptsIn30Days = 30 * 24 * 6
    await app.pool.query(insertReceiptsSql, [2 * receiptsIn30Days, app.clock(), receiptsIn30Days])
    await app.pool.query('vacuum analyze deletion_receipts')
    app.clock.advance(dueCount * 10 * minute)
    await expectFewReads('deletion_receipts', async () =>
      expect(await forgetReceiptNames(app.deps.db, app.clock())).toBe(dueCount),
    )
  })
})

describe('the comparison with storage', () => {
  it('reads each page of keys from an index, in index order', async () => {
    const limit = 100
    for (const afterKey of ['', 'kept-2']) {
      const rowCount = await measureRowsRead('files', async () => {
        expect(await listReferencedKeys(app.deps.db, 'disk', afterKey, limit)).toHaveLength(limit)
      })
      expect(rowCount).toBeLessThanOrEqual(limit)
    }
  })

  it('finds keys without a row through an index', async () => {
    const keys = Array.from({ length: 100 }, (_, n) => `kept-${n * 500}`)
    const rowCount = await measureRowsRead('files', async () => {
      const referencedKeys = await findReferencedKeys(app.deps.db, 'disk', keys, app.clock())
      // Only thirty of the hundred keys exist: those numbered 500, 1000 and so on, up to 15,000.
      expect(referencedKeys.size).toBe(30)
    })
    expect(rowCount).toBeLessThanOrEqual(2 * keys.length)
  })
})

describe('the end of trials', () => {
  it('reads only the users whose trial has ended', async () => {
    await app.pool.query(
      `update users set premium_trial_ends_at = $1
        where id in (select 'user-' || n from generate_series(2001, 2000 + $2::int) n)`,
      [app.clock(), dueCount],
    )
    await app.pool.query('vacuum analyze users')
    await expectFewReads('users', async () =>
      expect(await expireTrials(app.deps)).toEqual({ expiredCount: dueCount }),
    )
  })
})

function switchToFree({ id }: Person) {
  const request = { reason: 'preview', to: 'free' } as const
  return setTier(app.deps, { userId: id, request, actor: id, ipAddress: '192.0.2.1' })
}
