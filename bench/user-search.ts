import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { makeHttpClient } from './http-client.ts'
import type { Cores } from './machine.ts'
import { type Mayfly, signIn, startMayfly } from './mayfly.ts'
import { namesOfPerson } from './names.ts'
import { type Row, row } from './report.ts'
import { timedCalls, timesOf } from './times-of.ts'

const userCount = 1_000_000
/**
 * How long `countScans` waits before it reads the count. Postgres may add the last scans of a
 * session only when the session has been idle for 10 seconds. After a shorter wait, the count could
 * lack some of them.
 */
const statisticsMs = 11_000

/** What the administrator searches for. The keys are the names in the report. */
const searches = {
  'one address, whole': 'leslie.rhodes.654321@mail321.example',
  'a number in one address': '.123456@',
  'a last name that every 50th has': 'lovelace',
  'a whole name': 'Grace Hopper',
  'a domain that every 500th has': '@mail123.example',
  'a text that all have': 'example',
  'a text that nobody has': 'no such person',
  'two texts that many have, which nobody has together': 'grace@mail',
  'three letters that nobody has': 'qzx',
  'two letters that begin many names': 'lo',
  'two letters within one old name': 'uo',
  'one letter that one old name has': 'q',
  'a sign that nobody has': '%',
  'a sign that the oldest tenth have': '#',
  'two letters that nobody has': 'qz',
}

/**
 * Inserts users with a name and an address for each number. The names combine 50 first names and 50
 * last names, and the addresses use 500 domains. The newest user has the lowest number. The names
 * of the oldest tenth end with a sign, and one old user has a name of another sort.
 */
const fill = `
  insert into users (id, name, email, created_at, updated_at)
  select 'many ' || n,
    case when n = $1::int - 7 then 'Zoe Quoxley' when n > 0.9 * $1::int then first || ' ' || last || ' #'
      else first || ' ' || last end,
    lower(first || '.' || last) || '.' || n || '@mail' || n % 500 || '.example',
    $2::timestamptz - n * interval '1 minute', $2
  from generate_series(1, $1::int) n, ${namesOfPerson}`

/**
 * Measures how long `GET /api/admin/users` takes to search among a million users.
 * @throws when a search reads the whole table of users.
 */
export async function measureUserSearch(cores: Cores, scratch: string): Promise<Row[]> {
  const mayfly = await startMayfly(join(scratch, 'user-search'), cores.server)
  const http = makeHttpClient(1)
  try {
    const cookie = await signIn(mayfly, http)
    await mayfly.sql("update users set role = 'admin' where role = 'user'")
    await makeUsers(mayfly)
    const rows: Row[] = []
    let before = await countScans(mayfly)
    for (const [what, search] of Object.entries({ 'no search': '', ...searches })) {
      const url = `${mayfly.url}/api/admin/users?search=${encodeURIComponent(search)}`
      const ours = await timesOf(() => http.expectOk(url, { headers: { cookie } }))
      const after = await countScans(mayfly)
      const scans = after - before
      before = after
      // Jobs also read the whole table now and then. So fewer scans than calls are no fault of the
      // search.
      if (scans >= timedCalls) throw new Error(`The search for ${what} reads all users.`)
      rows.push(row(`a million users: ${what}`, 'ms', { ours }))
    }
    return rows
  } finally {
    http.close()
    await mayfly.stop()
  }
}

async function makeUsers(mayfly: Mayfly): Promise<void> {
  // Postgres makes an index faster in one go than row by row. So the indexes come after the rows.
  const indexes = await mayfly.sql<{ name: string; definition: string }>(
    `select indexname as name, indexdef as definition from pg_indexes
    where indexname in ('users_search_text', 'users_short_grams')`,
  )
  if (indexes.length !== 2) throw new Error('An index for searches is missing.')
  for (const { name } of indexes) await mayfly.sql(`drop index ${name}`)
  await mayfly.sql(fill, [userCount, new Date()])
  for (const { definition } of indexes) await mayfly.sql(definition)
  await mayfly.sql('vacuum analyze users')
}

/** Returns how often Postgres has read the whole table of users so far. */
async function countScans(mayfly: Mayfly): Promise<number> {
  await wait(statisticsMs)
  const [table] = await mayfly.sql<{ scans: string }>(
    "select seq_scan as scans from pg_stat_user_tables where relname = 'users'",
  )
  return Number(table?.scans ?? 0)
}
