import { randomBytes } from 'node:crypto'
import { makeHttpClient } from './http-client.ts'
import type { Cores } from './machine.ts'
import { type Mayfly, signIn, uploadFile } from './mayfly.ts'
import { type Row, row } from './report.ts'
import { type Load, type LoadFigures, runWrk } from './wrk.ts'

const rounds = 5
const sizes = { '1 KiB': 1024, '1 MiB': 1024 ** 2 }

/**
 * The User-Agent headers of the two measurements. A request of a preview robot, such as Slackbot,
 * never counts as a download.
 */
const clients = { counted: 'wrk/4.1.0 (for a bench)', uncounted: 'Slackbot-LinkExpanding 1.' }

/**
 * Measures downloads of one link by 32 clients in parallel. Each download that counts changes the
 * same row. So the same requests are also measured as those of a robot, where nothing is counted.
 * The report divides the rate with counting by the rate without.
 */
export async function measureOneLink(mayfly: Mayfly, cores: Cores): Promise<Row[]> {
  const http = makeHttpClient(1)
  const cookie = await signIn(mayfly, http)
  const rows: Row[] = []
  for (const [size, length] of Object.entries(sizes)) {
    const file = { name: `${size}.bin`, bytes: randomBytes(length) }
    const code = await uploadFile(mayfly, http, cookie, file)
    rows.push(...(await measure(mayfly, cores, code, `one link of ${size}`)))
  }
  http.close()
  return rows
}

async function measure(mayfly: Mayfly, cores: Cores, code: string, what: string): Promise<Row[]> {
  const load = (userAgent: string): Load => ({
    url: `${mayfly.url}/api/download/${code}`,
    headers: { 'user-agent': userAgent },
    pids: () => [mayfly.pid, ...mayfly.postgresPids()],
  })
  const found: Record<keyof typeof clients, LoadFigures[]> = { counted: [], uncounted: [] }
  const names = Object.keys(clients) as (keyof typeof clients)[]
  // The first round does not count, because Node compiles the code in it.
  for (let round = 0; round <= rounds; round += 1) {
    for (const name of names) {
      const figures = await runWrk(cores, load(clients[name]))
      if (round > 0) found[name].push(figures)
    }
  }
  const rates = (name: keyof typeof clients) => found[name].map((one) => one.requestsPerSecond)
  return [
    ...rows(what, found.counted),
    ...rows(`${what}, nothing counted`, found.uncounted),
    row(`${what}: share that counting leaves`, 'of 1', {
      ours: rates('counted').map((rate, at) => rate / (rates('uncounted')[at] ?? Number.NaN)),
    }),
  ]
}

function rows(what: string, ours: LoadFigures[]): Row[] {
  return [
    row(what, 'requests/s', { ours: ours.map((figures) => figures.requestsPerSecond) }),
    row(what, 'p50 ms', { ours: ours.map((figures) => figures.p50Millis) }),
    row(what, 'p99 ms', { ours: ours.map((figures) => figures.p99Millis) }),
    row(what, 'CPU µs a request', { ours: ours.map((figures) => figures.cpuMicros) }),
  ]
}
