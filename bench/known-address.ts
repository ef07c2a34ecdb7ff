import { randomBytes, randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { type HttpClient, makeHttpClient } from './http-client.ts'
import type { Cores } from './machine.ts'
import { type Mayfly, startMayfly } from './mayfly.ts'
import { type Row, row } from './report.ts'
import { figure } from './statistics.ts'

/**
 * How many pairs of requests are timed. `firstPairs` more are sent before and not timed, so that
 * Node has compiled all code.
 */
const timedPairs = 200
const firstPairs = 20

/**
 * The pause before each request. During this pause the server writes the letter that the previous
 * request caused. So this work does not slow the next request.
 */
const pauseMs = 20

const password = 'only for this run'

/** The calls that anybody can make with a mail address, and the body of each. */
const calls = {
  signup: (email: string) => ({
    firstName: 'Ada',
    lastName: 'Lovelace',
    email,
    password,
    confirmPassword: password,
  }),
  login: (email: string) => ({ email, password }),
  'forgot-password': (email: string) => ({ email }),
  'resend-verification': (email: string) => ({ email }),
}

/**
 * Measures how long each call takes for a mail address that has an account, and for one that has
 * none. The server is set to verify addresses. The time must not tell a stranger which addresses
 * have accounts. Requests of the two kinds alternate, and each request has a new mail address.
 */
export async function measureKnownAddress(cores: Cores, scratch: string): Promise<Row[]> {
  const env = { REQUIRE_EMAIL_VERIFICATION: 'on' }
  const mayfly = await startMayfly(join(scratch, 'known-address'), cores.server, { env })
  const http = makeHttpClient(1)
  try {
    const rows: Row[] = []
    for (const [name, bodyOf] of Object.entries(calls)) {
      const url = `${mayfly.url}/api/auth/${name}`
      const { known, unknown } = await timePairs(mayfly, http, url, bodyOf)
      const ratio = figure(known).median / figure(unknown).median
      rows.push(
        row(`${name}, known address`, 'ms', { ours: known }),
        row(`${name}, unknown address`, 'ms', { ours: unknown }),
        row(`${name}, known / unknown, of the medians`, 'ratio', { ours: [ratio] }),
      )
    }
    return rows
  } finally {
    http.close()
    await mayfly.stop()
  }
}

async function timePairs(
  mayfly: Mayfly,
  http: HttpClient,
  url: string,
  bodyOf: (email: string) => object,
): Promise<{ known: number[]; unknown: number[] }> {
  const accounts = await makeAccounts(mayfly, firstPairs + timedPairs)
  const times = { known: [] as number[], unknown: [] as number[] }
  for (const [index, account] of accounts.entries()) {
    const pair = [
      { kind: 'known' as const, email: account },
      { kind: 'unknown' as const, email: `${randomUUID()}@example.org` },
    ]
    // The second request of a pair may be faster, because caches are filled. So each kind comes
    // first equally often.
    if (index % 2 === 1) pair.reverse()
    for (const { kind, email } of pair) {
      await setTimeout(pauseMs)
      const ms = await timed(() => post(http, url, bodyOf(email)))
      if (index >= firstPairs) times[kind].push(ms)
    }
  }
  return times
}

/**
 * Makes accounts with verified addresses and passwords that nobody knows. Returns the addresses.
 */
async function makeAccounts(mayfly: Mayfly, count: number): Promise<string[]> {
  const people = Array.from({ length: count }, () => ({
    id: randomUUID(),
    hash: `${randomBytes(16).toString('hex')}:${randomBytes(64).toString('hex')}`,
  }))
  const ids = people.map(({ id }) => id)
  await mayfly.sql(
    `insert into users (id, name, email, email_verified, created_at, updated_at, first_name)
      select id, 'Ada', id || '@example.org', true, now(), now(), 'Ada' from unnest($1::text[]) as id`,
    [ids],
  )
  await mayfly.sql(
    `insert into accounts (id, user_id, account_id, provider_id, password, created_at, updated_at)
      select id, id, id, 'credential', hash, now(), now()
      from unnest($1::text[], $2::text[]) as person (id, hash)`,
    [ids, people.map(({ hash }) => hash)],
  )
  return ids.map((id) => `${id}@example.org`)
}

/** Posts JSON. Throws unless the status is 200, or 401 as for a wrong password. */
async function post(http: HttpClient, url: string, body: object): Promise<void> {
  const headers = { 'content-type': 'application/json' }
  const { status } = await http.send(url, { method: 'POST', headers, body: JSON.stringify(body) })
  if (status !== 200 && status !== 401) throw new Error(`${url} answered ${status}`)
}

async function timed(request: () => Promise<unknown>): Promise<number> {
  const began = performance.now()
  await request()
  return performance.now() - began
}
