import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { type HttpClient, makeHttpClient } from './http-client.ts'
import type { LoginFlood, StatusCounts } from './login-flood.ts'
import type { Cores } from './machine.ts'
import { type Mayfly, makeAccount, signIn, startMayfly, uploadFile } from './mayfly.ts'
import { createRow, type Row } from './report.ts'
import { toFigure } from './statistics.ts'

const rounds = 5
const fileBytes = 8 * 1024 ** 2
const listedFileCount = 20
/** Requests per round. A round's result is the median of their response times. */
const requestsPerRound = 12
/** How long the flood runs before the measurement starts. */
const warmUpMs = 1_000
/** How long the server gets to finish hashing the queued passwords. */
const drainMs = 8_000

/** The results of one round: response times in milliseconds, and the number of logins by status. */
interface LoginRound {
  download: number
  list: number
  statusCounts: StatusCounts
  seconds: number
}

/**
 * Measures how logins slow down an 8 MiB download and a request for the file list: without logins,
 * with 8 clients logging in correctly, and with 50 clients using a wrong password. Runs once
 * without rate limits, so that every password is hashed, and once with them.
 */
export async function measureLogins(cores: Cores, scratch: string): Promise<Row[]> {
  const rows: Row[] = []
  for (const rateLimits of ['off', 'on'] as const) {
    const mayfly = await startMayfly(join(scratch, `logins-${rateLimits}`), cores.server, {
      rateLimits,
    })
    try {
      rows.push(...(await measureFloods(mayfly, `rate limits ${rateLimits}`)))
    } finally {
      await mayfly.stop()
    }
  }
  return rows
}

async function measureFloods(mayfly: Mayfly, setupLabel: string): Promise<Row[]> {
  const http = makeHttpClient(1)
  const cookie = await signIn(mayfly, http)
  let code = ''
  for (let index = 0; index < listedFileCount; index += 1) {
    const bytes = randomBytes(index === 0 ? fileBytes : 100)
    const shortCode = await uploadFile(mayfly, http, cookie, { name: `${index}.bin`, bytes })
    if (index === 0) code = shortCode
  }
  const account = await makeAccount(mayfly, http)
  const wrongLogin = { ...account, password: 'not this one' }
  const loads = {
    alone: () => measureRound(mayfly, http, { code, cookie }),
    'beside 8 correct logins': () =>
      measureDuringFlood({ url: mayfly.url, clients: 8, body: JSON.stringify(account) }, () =>
        measureRound(mayfly, http, { code, cookie }),
      ),
    'beside 50 wrong logins': () =>
      measureDuringFlood({ url: mayfly.url, clients: 50, body: JSON.stringify(wrongLogin) }, () =>
        measureRound(mayfly, http, { code, cookie }),
      ),
  }
  const figuresByName = new Map<string, LoginRound[]>()
  // The first round is a warm-up.
  for (let round = 0; round <= rounds; round += 1) {
    for (const [name, measure] of Object.entries(loads)) {
      const figures = await measure()
      if (round > 0) figuresByName.set(name, [...(figuresByName.get(name) ?? []), figures])
    }
  }
  http.close()
  return [...figuresByName].flatMap(([name, figures]) => {
    const toRow = (label: string, unit: string, getValue: (round: LoginRound) => number) =>
      createRow(`${label} ${name}, ${setupLabel}`, unit, { mayfly: figures.map(getValue) })
    const impactRows = [
      toRow('8 MiB download', 'ms', ({ download }) => download),
      toRow('GET /api/files', 'ms', ({ list }) => list),
    ]
    if (name === 'alone') return impactRows
    const loginsPerSecond = (isCounted: (status: number) => boolean) => (round: LoginRound) =>
      Object.entries(round.statusCounts).reduce(
        (sum, [status, count]) => (isCounted(Number(status)) ? sum + count : sum),
        0,
      ) / round.seconds
    return [
      ...impactRows,
      toRow(
        'logins that were hashed',
        '/s',
        loginsPerSecond((status) => status === 200 || status === 401),
      ),
      toRow(
        'logins that were refused',
        '/s',
        loginsPerSecond((status) => status === 429 || status === 503),
      ),
    ]
  })
}

async function measureRound(
  mayfly: Mayfly,
  http: HttpClient,
  { code, cookie }: { code: string; cookie: string },
): Promise<LoginRound> {
  const downloads: number[] = []
  const listTimes: number[] = []
  for (let index = 0; index < requestsPerRound; index += 1) {
    downloads.push(await timeRequest(() => http.expectOk(`${mayfly.url}/api/download/${code}`)))
    const headers = { cookie, 'accept-encoding': 'gzip' }
    listTimes.push(await timeRequest(() => http.expectOk(`${mayfly.url}/api/files`, { headers })))
  }
  return {
    download: toFigure(downloads).median,
    list: toFigure(listTimes).median,
    statusCounts: {},
    seconds: 0,
  }
}

async function timeRequest(request: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now()
  await request()
  return performance.now() - startedAt
}

async function measureDuringFlood(
  workerData: LoginFlood,
  measure: () => Promise<LoginRound>,
): Promise<LoginRound> {
  const thread = new Worker(new URL('./login-flood.ts', import.meta.url), { workerData })
  let statusCounts: StatusCounts = {}
  const startPromise = new Promise<void>((resolve) => {
    thread.on('message', (newCounts: StatusCounts) => {
      statusCounts = newCounts
      resolve()
    })
  })
  await startPromise
  const startedAt = performance.now()
  await wait(warmUpMs)
  const round = await measure()
  const seconds = (performance.now() - startedAt) / 1000
  await thread.terminate()
  await wait(drainMs)
  return { ...round, statusCounts, seconds }
}
