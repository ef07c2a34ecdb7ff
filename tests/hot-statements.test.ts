import { afterAll, beforeAll, expect, test } from 'vitest'
import { tiers } from '../src/shared/rules/tiers/tier.ts'
import { makeKey, withKey } from './support/keys.ts'
import {
  expectOk,
  json,
  makeClient,
  makePerson,
  putBytes,
  requestRenewal,
  startUpload,
} from './support/make.ts'
import { analyzedPlansOf, countRowsRead } from './support/query-plans.ts'
import { startTestApp, type TestApp } from './support/test-app.ts'
import { requestConfirm } from './support/upload-requests.ts'

/*
 * The most frequent queries for uploads, downloads and pages must not scan tables that have many
 * unrelated rows. Their plans are recorded during real requests.
 */

/** The number of users, and the number of rows in each large table. */
const rowCount = 2000
/**
 * How often each statement runs. From its sixth execution on, a prepared statement may get a
 * generic plan.
 */
const runCount = 7
/** The maximum number of rows that any of these statements may read from a table. */
const maxReads = 10

/**
 * SQL that fills each large table with `rowCount` rows numbered `n`. `today` is the current time.
 */
const fillStatements = {
  users: `insert into users (id, name, email, tier, created_at, updated_at)
    select 'user-' || n, 'Ada', n || '@example.org', 'premium', today, today`,
  preferences: `insert into preferences select 'user-' || n, 3, true, true`,
  branding: `insert into branding (user_id, name, updated_at) select 'user-' || n, 'Ada', today`,
  sessions: `insert into sessions (id, token, user_id, expires_at, created_at, updated_at)
    select 'session-' || n, 'token-' || n, 'user-' || n, today + interval '9 days', today, today`,
  api_keys: `insert into api_keys (owner_id, name, hash, prefix, scopes, created_at)
    select 'user-' || n, 'Backup', 'hash-' || n, 'mfy_abcd', '{files:write}', today`,
  links: `insert into links (id, owner_id, short_code, expiration_days, max_lifetime_days, created_at,
      ready_at, expires_at, max_lifetime_at, file_count, pending_count, total_size, first_name)
    select md5('link ' || n)::uuid, 'user-' || n, 'code-' || n, 3, 30, today, today,
      today + interval '3 days', today + interval '30 days', 2, 1, 2 * n, 'Report.pdf'`,
  uploads: `insert into uploads (owner_id, storage, storage_key, original_name, mime_type, size,
      link_id, position, idempotency_key, created_at, last_activity_at)
    select 'user-' || n, 'disk', 'open-' || n, 'Report.pdf', 'application/pdf', n,
      md5('link ' || n)::uuid, 1, n, today, today`,
  removals: `insert into removals (storage_key, storage, due_at, tries, try_at)
    select 'removed-' || n, 'disk', today, 0, today`,
  short_codes: `insert into short_codes select 'code-' || n, today`,
  files: `insert into files (owner_id, storage, storage_key, original_name, mime_type, size,
      link_id, position, created_at, purge_at)
    select 'user-' || n, 'disk', 'kept-' || n, 'Report.pdf', 'application/pdf', n,
      md5('link ' || n)::uuid, 0, today, today + interval '3 days'`,
  file_downloads: `insert into file_downloads
    select (select id from files where link_id = md5('link ' || n)::uuid), today::date, 1`,
  owner_downloads: `insert into owner_downloads select 'user-' || n, today::date, 0, 1`,
}

let app: TestApp
let plans: string[]
beforeAll(async () => {
  app = await startTestApp()
  const rowSource = `from generate_series(1, ${rowCount}) n, (select $1::timestamptz as today) dates`
  for (const fillSql of Object.values(fillStatements)) {
    await app.pool.query(`${fillSql} ${rowSource}`, [app.clock()])
  }
  await app.pool.query('vacuum analyze')
  plans = await analyzedPlansOf(app.pool, async () => {
    for (const tier of tiers)
      await runLifecycles(await makePerson(app, { tier }), tier === 'premium')
  })
})
afterAll(() => app.close())

async function runLifecycles(person: Awaited<ReturnType<typeof makePerson>>, shouldRenew: boolean) {
  const visitor = makeClient(app)
  const program = withKey(visitor, (await makeKey(person)).key)
  for (let runIndex = 0; runIndex < runCount; runIndex += 1) {
    const startedUpload = await startUpload(person, {
      size: 5,
      idempotencyKey: `upload-${runIndex}`,
    })
    await expectOk(await fetch(startedUpload.uploadUrl, { method: 'HEAD' }))
    await expectOk(await putBytes(startedUpload, new TextEncoder().encode('hello')))
    const confirmResponse = await requestConfirm(person, startedUpload.cloudKey)
    await expectOk(confirmResponse)
    const { id, shortCode } = await json<{ id: string; shortCode: string }>(confirmResponse)
    const downloadResponse = await visitor.fetch(`/api/download/${shortCode}`)
    expect(await downloadResponse.text()).toBe('hello')
    if (shouldRenew) await expectOk(await requestRenewal(person, id))
    await expectOk(await person.fetch(`/api/files/${id}`, { method: 'DELETE' }))
    const headers = { accept: 'application/json' }
    const init = { method: 'PUT', headers, body: 'hello' }
    const file = await json<{ id: string }>(await program.fetch('/api/up/x', init))
    await expectOk(await program.fetch(`/api/files/${file.id}`, { method: 'DELETE' }))
  }
}

test.each([
  ['reading a session', /from "sessions" inner join "users"/],
  ['reading an API key', /from "api_keys" inner join "users"/],
  ['starting an upload', /insert into "uploads"/],
  ['recording upload activity', /select "last_activity_at" from "uploads"/],
  ['finding an upload to confirm', /from "links" inner join "uploads" .* where .*"storage_key"/],
  ['inserting a file', /insert into "files"/],
  ['finding a link', /from "links" left join "files" .* join lateral/],
  ['counting a download', /insert into "file_downloads"/],
  ['locking a link to renew it', /from "links" where .* for update/],
  ['renewing a link', /update "links" set "short_code"/],
])('%s scans no table', (_, statement) => {
  const statementPlans = plans.filter((plan) => statement.test(plan))
  expect(statementPlans.length).toBeGreaterThanOrEqual(runCount)
  for (const plan of statementPlans) {
    for (const table of Object.keys(fillStatements)) {
      expect(plan).not.toMatch(new RegExp(`Seq Scan on ${table}\\b`))
      expect(countRowsRead(plan, table), plan).toBeLessThanOrEqual(maxReads)
    }
  }
})
