import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { json, makePerson, type Person } from '../../../tests/support/make.ts'
import { queryPlansOf } from '../../../tests/support/query-plans.ts'
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts'
import { type ListedUser, maxUserResults } from '../../shared/contract/admin.ts'

const userCount = 12_000

let app: TestApp
let admin: Person
beforeAll(async () => {
  app = await startTestApp()
  admin = await makePerson(app, { role: 'admin' })
  // User 1 is the newest. Every tenth user is named Grace.
  await app.pool.query(
    `insert into users (id, name, email, created_at, updated_at)
    select 'many ' || n, case n % 10 when 0 then 'Grace' else 'Ada' end || ' Hamilton',
      'person-' || n || '@many.example', $2::timestamptz - n * interval '1 minute', $2
    from generate_series(1, $1::int) n`,
    [userCount, app.clock()],
  )
  await app.pool.query(
    `update users set name = 'Zoë Quoxley', email = 'zoe@quox.example' where id = 'many 11999'`,
  )
  await app.pool.query(`update users set name = 'Grace/Hamilton' where id = 'many 11998'`)
  await app.pool.query('vacuum analyze users')
})
afterAll(() => app.close())

async function searchUserIds(search: string): Promise<string[]> {
  const path = `/api/admin/users?search=${encodeURIComponent(search)}`
  return (await json<ListedUser[]>(await admin.fetch(path))).map(({ id }) => id)
}

/** Returns `count` user ids, starting at `first` and increasing by `step`. */
function makeIds(first: number, count: number, step: number) {
  return Array.from({ length: count }, (_, index) => `many ${first + index * step}`)
}

describe('a search among many users', () => {
  it.each([
    ['the full email of an old user', 'person-11998@many.example', ['many 11998']],
    ["part of an old user's email", 'ON-1199', ['many 1199', ...makeIds(11_990, 9, 1)]],
    ["part of an old user's name", 'quoxley', ['many 11999']],
    ['a name with a non-ASCII letter', 'ZOË', ['many 11999']],
    ['the first two letters of an old name', 'qu', ['many 11999']],
    ["the start of an old email's domain", '@quo', ['many 11999']],
    ['a term with few matches', '500@many', makeIds(500, 12, 1000)],
    ['nothing for a term without matches', 'nobody here', []],
    ['nothing for common words in another order', 'hamilton grace', []],
    ['two letters inside an old name', 'uo', ['many 11999']],
    ['a letter that only an old name has', 'Q', ['many 11999']],
    ['a non-ASCII letter', 'Ë', ['many 11999']],
    ['a symbol and a letter', '@q', ['many 11999']],
    ['two short words', 'ë q', ['many 11999']],
    ['nothing for an unused symbol', '%', []],
    ['nothing for two unused symbols', '%_', []],
    ['common words joined by a rare symbol', 'ace/hamil', ['many 11998']],
    ['nothing for common words joined by an unused symbol', 'grace@many', []],
    ['nothing for an unused pair of letters', 'qz', []],
  ])('finds %s', async (_, search, ids) => {
    expect(await searchUserIds(search)).toEqual(ids)
  })

  it.each([
    ['hamil', makeIds(1, 50, 1)],
    ['grace ham', makeIds(10, 50, 10)],
    ['lt', makeIds(1, 50, 1)],
  ])('finds the 50 newest matches of %j', async (search, ids) => {
    expect(await searchUserIds(search)).toEqual(ids)
  })

  it('finds any short substring of an old email address or name', async () => {
    const text = 'zoe@quox.example zoë quoxley'
    for (const length of [1, 2]) {
      for (let start = 0; start + length <= text.length; start += 1) {
        const search = text.slice(start, start + length)
        if (search.trim() !== search) continue
        const userIds = await searchUserIds(search)
        if (userIds.length < maxUserResults) expect(userIds, search).toContain('many 11999')
      }
    }
  })

  it.each(['person-11998@many.example', 'quoxley', 'nobody here', 'ace/hamil'])(
    'uses the index: %s',
    async (search) => {
      const plans = await queryPlansOf(app.pool, () => searchUserIds(search))
      for (const plan of plans) expect(plan).not.toContain('Seq Scan on users')
    },
  )
})
