import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { json, makePerson, type Person } from '../../../tests/support/make.ts'
import { plansOf } from '../../../tests/support/query-plans.ts'
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts'
import { type ListedUser, mostFoundUsers } from '../../shared/contract/admin.ts'

const userCount = 12_000

let app: TestApp
let admin: Person
beforeAll(async () => {
  app = await startTestApp()
  admin = await makePerson(app, { role: 'admin' })
  // User 1 is the newest. Every tenth user is called Grace.
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

async function find(search: string): Promise<string[]> {
  const path = `/api/admin/users?search=${encodeURIComponent(search)}`
  return (await json<ListedUser[]>(await admin.fetch(path))).map(({ id }) => id)
}

/** Returns `count` user ids, starting at `first` and increasing by `step`. */
function from(first: number, count: number, step: number) {
  return Array.from({ length: count }, (_, at) => `many ${first + at * step}`)
}

describe('a search among many users', () => {
  it.each([
    ['an old address, whole', 'person-11998@many.example', ['many 11998']],
    ['a part of an old address', 'ON-1199', ['many 1199', ...from(11_990, 9, 1)]],
    ['an old name', 'quoxley', ['many 11999']],
    ['a name with a letter that is not ASCII', 'ZOË', ['many 11999']],
    ['two letters that begin an old name', 'qu', ['many 11999']],
    ['letters after the @ of an old address', '@quo', ['many 11999']],
    ['what few have', '500@many', from(500, 12, 1000)],
    ['what nobody has', 'nobody here', []],
    ['letters that many have, in an order that nobody has', 'hamilton grace', []],
    ['two letters within an old name', 'uo', ['many 11999']],
    ['one letter that only an old name has', 'Q', ['many 11999']],
    ['one letter that is not ASCII', 'Ë', ['many 11999']],
    ['a sign and a letter', '@q', ['many 11999']],
    ['two short words', 'ë q', ['many 11999']],
    ['a sign that nobody has', '%', []],
    ['signs that nobody has', '%_', []],
    ['words that many have, with a sign that one old name has', 'ace/hamil', ['many 11998']],
    ['words that many have, with a sign that nobody has', 'grace@many', []],
    ['two letters that nobody has', 'qz', []],
  ])('finds %s', async (_, search, ids) => {
    expect(await find(search)).toEqual(ids)
  })

  it.each([
    ['hamil', from(1, 50, 1)],
    ['grace ham', from(10, 50, 10)],
    ['lt', from(1, 50, 1)],
  ])('finds the 50 newest matches of %j', async (search, ids) => {
    expect(await find(search)).toEqual(ids)
  })

  it('finds any short substring of an old address or name', async () => {
    const text = 'zoe@quox.example zoë quoxley'
    for (const length of [1, 2]) {
      for (let at = 0; at + length <= text.length; at += 1) {
        const search = text.slice(at, at + length)
        if (search.trim() !== search) continue
        const found = await find(search)
        if (found.length < mostFoundUsers) expect(found, search).toContain('many 11999')
      }
    }
  })

  it.each(['person-11998@many.example', 'quoxley', 'nobody here', 'ace/hamil'])(
    'uses the index: %s',
    async (search) => {
      const plans = await plansOf(app.pool, () => find(search))
      for (const plan of plans) expect(plan).not.toContain('Seq Scan on users')
    },
  )
})
