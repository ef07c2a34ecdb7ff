import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { json, makePerson, type Person } from '../../../tests/support/make.ts'
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts'
import type { AuditEntry } from '../../shared/contract/admin.ts'

const lineCount = 2000
const userCount = 100
const pageSize = 50
const rareAddress = '203.0.113.9'
const [rareCode, frequentCode] = ['k7RmTq9XbW', 'Hc6mTz8QwN']
let app: TestApp
let admin: Person
beforeAll(async () => {
  app = await startTestApp()
  admin = await makePerson(app, { role: 'admin' })
  await app.pool.query(
    `insert into users (id, name, email, created_at, updated_at)
    select 'user-' || n, 'Ada', n || '@many.example', $2::timestamptz, $2
    from generate_series(0, $1::int - 1) n`,
    [userCount, app.clock()],
  )
  // The seed data: `set-role` occurs only in the oldest 60 entries. One user wrote a quarter of all
  // entries and is the subject of another quarter. The administrator wrote a tenth, none of them
  // `set-tier`. No `change-setting` entry is about that user. The actor `early` occurs only in the
  // first 600 entries. Every eighth entry is about one link, and the oldest entries are about
  // another. Every third entry is from one IP address, and the oldest entries are from another.
  await app.pool.query(
    `insert into audit_log (at, actor, action, subject, ip_address, details)
    select $2::timestamptz + n * interval '1 second',
      case when n % 10 = 5 then $3 when n % 2 = 0 and n <= 600 then 'early' when n % 4 = 1 then 'user-7' else 'user-' || n % $4 end,
      case when n <= 60 then 'set-role' when n % 4 = 2 then 'set-tier'
        when n % 10 = 5 or n % 3 = 0 then 'change-setting' else 'set-tier' end,
      case when n % 4 = 2 then 'user-7' else 'user-' || n % $4 end,
      case when n <= 40 then $5 when n % 3 = 0 then '2001:db8::7' else '192.0.2.1' end,
      case when n <= 30 then jsonb_build_object('shortCode', $6::text)
        when n % 8 = 7 then jsonb_build_object('shortCode', $7::text) else '{}' end
    from generate_series(1, $1::int) n`,
    [lineCount, app.clock(), admin.id, userCount, rareAddress, rareCode, frequentCode],
  )
})
afterAll(() => app.close())

async function fetchPage(query: string): Promise<{ lines: AuditEntry[]; cursor: string | null }> {
  const response = await admin.fetch(`/api/admin/audit?limit=${pageSize}${query}`)
  const cursor = response.headers.get('x-next-cursor')
  return { lines: await json(response), cursor }
}

function timeOfLine(n: string): string {
  return new Date(app.clock().getTime() + 1000 * Number(n)).toISOString()
}

/**
 * Replaces each `@n` in a query with the time of entry `n`, and `ADMIN` with the administrator's
 * email address.
 */
function fillTemplate(query: string): string {
  return query.replaceAll(/@(\d+)/g, (_, n) => timeOfLine(n)).replace('ADMIN', admin.email)
}

/** A reference implementation in plain SQL, used to check the results. */
async function queryReference(query: string): Promise<number[]> {
  const params = new URLSearchParams(query)
  const search = params.get('search')?.replace('/s/', '')
  const { rows } = await app.pool.query<{ id: string }>(
    `select log.id from audit_log log
      left join users actors on actors.id = log.actor left join users subjects on subjects.id = log.subject
      where ($1::text is null or action = $1)
        and ($2::text is null or $2 in (actors.email, subjects.email, actor, subject, ip_address, details ->> 'shortCode'))
        and ($3::timestamptz is null or at >= $3) and ($4::timestamptz is null or at < $4)
      order by at desc, log.id desc limit $5`,
    [params.get('action'), search, params.get('from'), params.get('to'), pageSize],
  )
  return rows.map(({ id }) => Number(id))
}

describe('a page of a long audit log', () => {
  it.each([
    ['all lines', ''],
    ['a rare, old action', '&action=set-role'],
    ['a frequent action', '&action=set-tier'],
    ['a user with many lines', '&search=7@many.example'],
    ['a user with few lines', '&search=8@many.example'],
    ['a rare action of a user', '&search=7@many.example&action=set-role'],
    ['an action that the administrator never took', '&search=ADMIN&action=set-tier'],
    ['an action that never involved the user', '&search=7@many.example&action=change-setting'],
    ['a user with few lines, none with the action', '&search=8@many.example&action=make-user'],
    ['an unknown user', '&search=nobody@many.example'],
    ['an IP address with many lines', '&search=2001:DB8:0::7'],
    ['an IP address with a few old lines', `&search=${rareAddress}`],
    ['a rare action from an IP address', `&search=${rareAddress}&action=change-setting`],
    ['an action never taken from the IP address', '&search=2001:db8::7&action=make-user'],
    ['a link with many lines', `&search=${frequentCode}`],
    ['a link with a few old lines', `&search=/s/${rareCode}`],
    ['a rare action on a link', `&search=${frequentCode}&action=set-role`],
    ['an unknown link', '&search=abcdefghij'],
    ['a user ID', '&search=user-7'],
    ['a date range long ago', '&from=@100&to=@130'],
    ['everything before a date', '&to=@700'],
    ['everything since a date', '&from=@1990'],
    ['a date range before the log begins', '&to=@1'],
    ['a date range that ends before it begins', '&from=@900&to=@800'],
    ['a frequent action, long ago', '&action=set-tier&from=@400&to=@900'],
    ['lines of a user, long ago', '&search=7@many.example&from=@300&to=@600'],
    ['lines from an IP address, long ago', '&search=192.0.2.1&from=@300&to=@900'],
    ['an action on a link, long ago', `&search=${frequentCode}&action=set-tier&to=@500`],
  ])('has the expected entries: %s', async (_, template) => {
    const query = fillTemplate(template)
    const ids = (await fetchPage(query)).lines.map(({ id }) => id)
    expect(ids).toEqual(await queryReference(query.replace('DB8:0::7', 'db8::7')))
  })

  it('keeps its date range when paging', async () => {
    const query = fillTemplate('&search=192.0.2.1&from=@300&to=@500')
    const ids: number[] = []
    let cursor: string | null = ''
    while (cursor !== null) {
      const page: Awaited<ReturnType<typeof fetchPage>> = await fetchPage(
        cursor === '' ? query : `${query}&cursor=${cursor}`,
      )
      ids.push(...page.lines.map(({ id }) => id))
      cursor = page.cursor
    }
    const { rows } = await app.pool.query<{ id: string }>(
      `select id from audit_log where ip_address = '192.0.2.1' and at >= $1 and at < $2
      order by at desc, id desc`,
      [timeOfLine('300'), timeOfLine('500')],
    )
    expect(ids).toEqual(rows.map(({ id }) => Number(id)))
    expect(ids.length).toBeGreaterThan(2 * pageSize)
  })

  it("is ordered by time even if one server's clock is behind", async () => {
    const address = '198.51.100.9'
    for (const n of ['700', '500', '600']) {
      await app.pool.query(
        `insert into audit_log (at, actor, action, ip_address, details)
        values ($1, 'behind', 'test-mail', $2, '{}')`,
        [timeOfLine(n), address],
      )
    }
    const expectedTimes = ['700', '600', '500'].map(timeOfLine)
    expect((await fetchPage(`&search=${address}`)).lines.map(({ at }) => at)).toEqual(expectedTimes)
    const recentPage = await fetchPage(`&search=${address}&from=${timeOfLine('550')}`)
    expect(recentPage.lines.map(({ at }) => at)).toEqual(expectedTimes.slice(0, 2))
  })

  it('finds the few entries of an action at the far end of the log', async () => {
    const { lines, cursor } = await fetchPage('&action=set-role')
    expect(lines).toHaveLength(pageSize)
    const lastPage = await fetchPage(`&action=set-role&cursor=${cursor}`)
    expect(lastPage).toMatchObject({ lines: { length: 10 }, cursor: null })
  })

  it('covers the user and all deleted users who had the email address', async () => {
    const owner = await makePerson(app)
    await app.pool.query(
      `insert into audit_log (at, actor, action, subject, ip_address, details)
      select $1::timestamptz + n * interval '1 day', 'again-' || n, 'delete-user', 'again-' || n,
        '192.0.2.1', jsonb_build_object('email', $2::text)
      from generate_series(1, 3) n
      union all select $1, $3, 'set-tier', $4, '192.0.2.1', '{}'`,
      [app.clock(), owner.email, admin.id, owner.id],
    )
    const { lines } = await fetchPage(`&search=${owner.email}`)
    const deleteActions = Array.from({ length: 3 }, () => 'delete-user')
    expect(lines.map(({ action }) => action)).toEqual([...deleteActions, 'set-tier'])
  })
})
