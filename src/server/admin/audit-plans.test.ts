import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { json, makePerson, type Person } from '../../../tests/support/make.ts'
import { rowsReadOf, runPlansOf } from '../../../tests/support/query-plans.ts'
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts'
import type { AuditLine } from '../../shared/contract/admin.ts'
import { lastLineOf, mostDeleted } from './audit-queries.ts'

/*
 * What a search in the audit log reads, in a long log: the plans of the statements that it really
 * sends.
 */

const lineCount = 20_000
const userCount = 1000
const pageSize = 50
/**
 * How many lines a page may read, and entries of indexes: a page and one line for each of two
 * columns, and then each line of the page with its names.
 */
const mostReads = 6 * (pageSize + 1)

let app: TestApp
let admin: Person
let busy: string
beforeAll(async () => {
  app = await startTestApp()
  admin = await makePerson(app, { role: 'admin' })
  await app.pool.query(
    `insert into users (id, name, email, created_at, updated_at)
    select 'user-' || n, 'Ada', n || '@many.example', $2::timestamptz, $2
    from generate_series(0, $1::int - 1) n`,
    [userCount, app.clock()],
  )
  busy = '7@many.example'
  // The oldest 60 lines are acts that nobody did since. A quarter of all are about what one user did,
  // a quarter about what was done to this user, and every tenth is by the administrator. The
  // administrator never sets a tier, and nobody changes a setting of this user. Somebody did much
  // at first, and nothing since.
  await app.pool.query(
    `insert into audit_log (at, actor, action, subject, ip_address, details)
    select $2::timestamptz + n * interval '1 second',
      case when n % 10 = 5 then $3 when n % 2 = 0 and n <= 6000 then 'early' when n % 4 = 1 then 'user-7' else 'user-' || n % $4 end,
      case when n <= 60 then 'set-role' when n % 4 = 2 then 'set-tier'
        when n % 10 = 5 or n % 3 = 0 then 'change-setting' else 'set-tier' end,
      case when n % 4 = 2 then 'user-7' else 'user-' || n % $4 end, '192.0.2.1', '{}'
    from generate_series(1, $1::int) n`,
    [lineCount, app.clock(), admin.id, userCount],
  )
  // Without a vacuum each look into an index costs a look into the table too. So Postgres is tempted most
  // to walk along the table.
  await app.pool.query('analyze users, audit_log')
})
afterAll(() => app.close())

async function list(query: string): Promise<{ lines: AuditLine[]; cursor: string | null }> {
  const response = await admin.fetch(`/api/admin/audit?limit=${pageSize}${query}`)
  const cursor = response.headers.get('x-next-cursor')
  return { lines: await json(response), cursor }
}

/** Lists a page, and returns it with how many lines and entries of indexes were read for it. */
async function listWithReads(query: string) {
  let page: Awaited<ReturnType<typeof list>> = { lines: [], cursor: null }
  const plans = await runPlansOf(app.pool, async () => {
    page = await list(query)
  })
  const ofLog = plans.filter((plan) => / on audit_log\b/.test(plan))
  expect(ofLog.length).toBeGreaterThan(0)
  for (const plan of ofLog) expect(plan).not.toMatch(/Seq Scan on (audit_log|users)\b/)
  return { ...page, reads: ofLog.reduce((sum, plan) => sum + rowsReadOf(plan, 'audit_log'), 0) }
}

function isAbout(email: string) {
  return ({ actor, subject }: AuditLine) => actor === email || subject === email
}

describe('a page of a long audit log', () => {
  it.each([
    ['all lines', ''],
    ['an act that is rare and old', '&action=set-role'],
    ['an act that is frequent', '&action=set-tier'],
    ['a user who did and underwent much', '&user=7@many.example'],
    ['a user who did and underwent little', '&user=8@many.example'],
    ['a rare act of a user', '&user=7@many.example&action=set-role'],
    ['an act that the administrator never did', '&user=ADMIN&action=set-tier'],
    ['an act that nobody did to a user', '&user=7@many.example&action=change-setting'],
    ['a user who did nothing of the sort', '&user=8@many.example&action=make-user'],
    ['nobody', '&user=nobody@many.example'],
  ])('reads little more than it shows: %s', async (_, query) => {
    const { reads } = await listWithReads(query.replace('ADMIN', admin.email))
    expect(reads).toBeLessThanOrEqual(mostReads)
  })

  it('shows each line once and in order, and so does the next page', async () => {
    const wholeLog = (
      await app.pool.query<{ id: string }>(
        `select id from audit_log where 'user-7' in (actor, subject) order by id desc limit 100`,
      )
    ).rows.map(({ id }) => Number(id))
    const first = await listWithReads(`&user=${busy}`)
    const second = await listWithReads(`&user=${busy}&cursor=${first.cursor}`)
    const shown = [...first.lines, ...second.lines]
    expect(shown.map(({ id }) => id)).toEqual(wholeLog)
    expect(shown.every(isAbout(busy))).toBe(true)
    expect(second.reads).toBeLessThanOrEqual(mostReads)
  })

  it('is not walked along for the last line of somebody who did something only long ago', async () => {
    const { rows } = await app.pool.query<{ last: string }>(
      `select max(id) as last from audit_log where actor = 'early'`,
    )
    let found: number | null = null
    const plans = await runPlansOf(app.pool, async () => {
      found = await lastLineOf(app.deps.db, 'early')
    })
    expect(found).toBe(Number(rows[0]?.last))
    expect(plans.reduce((sum, plan) => sum + rowsReadOf(plan, 'audit_log'), 0)).toBe(1)
  })

  it('finds the few lines of an act at the other end of the log', async () => {
    const { lines, cursor } = await list('&action=set-role')
    expect(lines).toHaveLength(pageSize)
    const rest = await list(`&action=set-role&cursor=${cursor}`)
    expect(rest).toMatchObject({ lines: { length: 10 }, cursor: null })
  })

  it('is about the user and the newest deleted users, where many had the address', async () => {
    const owner = await makePerson(app)
    await app.pool.query(
      `insert into audit_log (at, actor, action, subject, ip_address, details)
      select $1::timestamptz + n * interval '1 day', 'again-' || n, 'delete-user', 'again-' || n,
        '192.0.2.1', jsonb_build_object('email', $3::text)
      from generate_series(1, $2::int) n`,
      [app.clock(), mostDeleted + 5, owner.email],
    )
    await app.pool.query(
      `insert into audit_log (at, actor, action, subject, ip_address, details)
      values ($1, $2, 'set-tier', $3, '192.0.2.1', '{}')`,
      [app.clock(), admin.id, owner.id],
    )
    const { lines, reads } = await listWithReads(`&user=${owner.email}`)
    expect(lines.map(({ action }) => action)).toEqual([
      'set-tier',
      ...Array.from({ length: mostDeleted }, () => 'delete-user'),
    ])
    const ids = lines.slice(1).map(({ id }) => id)
    const { rows } = await app.pool.query<{ id: string }>(
      `select id from audit_log where subject like 'again-%' order by id desc limit $1`,
      [mostDeleted],
    )
    expect(ids).toEqual(rows.map(({ id }) => Number(id)))
    expect(reads).toBeLessThan(lineCount / 10)
  })
})
