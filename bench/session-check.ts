import { makeHttpClient } from './http-client.ts'
import type { Cores } from './machine.ts'
import { type Mayfly, signIn } from './mayfly.ts'
import { compare, type Row } from './report.ts'
import { type Load, type LoadFigures, runWrk } from './wrk.ts'

const rounds = 5
/** How many sessions of others are in the table, so that the database must find the right one. */
const otherSessions = 100_000
const crowd = 32

/**
 * Measures how long it takes to check a session. `GET /api/auth/user` does little else. `GET
 * /api/health` checks no session, so it shows what the rest of a request costs. With one caller,
 * the figure is the time of one check. With 32 callers in parallel, it shows how many checks the
 * server can do.
 */
export async function measureSessionCheck(mayfly: Mayfly, cores: Cores): Promise<Row[]> {
  const http = makeHttpClient(1)
  const cookie = await signIn(mayfly, http)
  http.close()
  await mayfly.sql(
    `insert into sessions (id, token, user_id, expires_at, created_at, updated_at)
      select 'other ' || n, 'token ' || n, (select user_id from sessions limit 1),
        now() + interval '14 days', now(), now()
      from generate_series(1, $1::int) as n`,
    [otherSessions],
  )
  await mayfly.sql('analyze sessions')

  const pids = () => [...mayfly.pids(), ...mayfly.postgresPids()]
  const check = { url: `${mayfly.url}/api/auth/user`, headers: { cookie }, pids }
  const nothing = { url: `${mayfly.url}/api/health`, pids }
  const loads: { what: string; load: Load }[] = [
    { what: 'session check, one caller', load: { ...check, connections: 1 } },
    { what: 'no session check, one caller', load: { ...nothing, connections: 1 } },
    { what: `session check, ${crowd} callers`, load: { ...check, connections: crowd } },
    { what: `no session check, ${crowd} callers`, load: { ...nothing, connections: crowd } },
  ]
  const found = new Map<string, LoadFigures[]>(loads.map(({ what }) => [what, []]))
  // The first round does not count, because Node compiles the code in it.
  for (let round = 0; round <= rounds; round += 1) {
    for (const { what, load } of loads) {
      const figures = await runWrk(cores, load)
      if (round > 0) found.get(what)?.push(figures)
    }
  }
  return [...found].flatMap(([what, figures]) => rows(what, figures))
}

function rows(what: string, figures: LoadFigures[]): Row[] {
  return [
    compare(
      what,
      'requests/s',
      figures.map((one) => one.requestsPerSecond),
    ),
    compare(
      what,
      'p50 ms',
      figures.map((one) => one.p50Millis),
    ),
    compare(
      what,
      'p99 ms',
      figures.map((one) => one.p99Millis),
    ),
    compare(
      what,
      'CPU µs a request',
      figures.map((one) => one.cpuMicros),
    ),
  ]
}
