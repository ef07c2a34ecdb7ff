import { randomBytes } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { makeHttpClient } from './http-client.ts'
import type { Cores } from './machine.ts'
import { type Mayfly, signIn, uploadFile } from './mayfly.ts'
import type { Nginx } from './nginx.ts'
import { compare, createRow, type Row } from './report.ts'
import { type Load, type LoadFigures, runWrk } from './wrk.ts'

const rounds = 5
const fileSizes = { '1 KiB': 1024, '1 MiB': 1024 ** 2 }

/**
 * The user agents for the two measurements. Downloads by preview bots such as Slackbot are never
 * counted.
 */
const clients = { counted: 'wrk/4.1.0 (for a bench)', uncounted: 'Slackbot-LinkExpanding 1.' }

/**
 * Measures downloads of one link by 32 clients. Counted downloads contend for one row. The same
 * requests are also sent with a bot's user agent, whose downloads aren't counted, and the report
 * shows the ratio. For comparison, nginx serves the same bytes from a file.
 */
export async function measureOneLink(
  { mayfly, nginx }: { mayfly: Mayfly; nginx: Nginx },
  cores: Cores,
): Promise<Row[]> {
  const http = makeHttpClient(1)
  const cookie = await signIn(mayfly, http)
  const rows: Row[] = []
  for (const [size, length] of Object.entries(fileSizes)) {
    const file = { name: `${size}.bin`, bytes: randomBytes(length) }
    const path = `/api/download/${await uploadFile(mayfly, http, cookie, file)}`
    await writeFile(join(nginx.root, `${length}.bin`), file.bytes)
    const makeLoad = (userAgent: string): Load => ({
      url: `${mayfly.url}${path}`,
      headers: { 'user-agent': userAgent },
      pids: () => [...mayfly.pids(), ...mayfly.postgresPids()],
    })
    const loads = {
      counted: makeLoad(clients.counted),
      uncounted: makeLoad(clients.uncounted),
      nginx: { url: `${nginx.url}/${length}.bin`, pids: () => nginx.pids },
    } satisfies Record<string, Load>
    rows.push(...(await measure(loads, cores, `one link of ${size}`)))
  }
  http.close()
  return rows
}

type LoadName = 'counted' | 'uncounted' | 'nginx'

async function measure(loads: Record<LoadName, Load>, cores: Cores, label: string): Promise<Row[]> {
  const figuresByName: Record<LoadName, LoadFigures[]> = { counted: [], uncounted: [], nginx: [] }
  const names = Object.keys(figuresByName) as LoadName[]
  // The first round is a warm-up.
  for (let round = 0; round <= rounds; round += 1) {
    for (const name of names) {
      const figures = await runWrk(cores, loads[name])
      if (round > 0) figuresByName[name].push(figures)
    }
  }
  const getRates = (name: LoadName) =>
    figuresByName[name].map((figures) => figures.requestsPerSecond)
  return [
    ...createRows(label, figuresByName.counted, figuresByName.nginx),
    ...createRows(`${label}, nothing counted`, figuresByName.uncounted, figuresByName.nginx),
    createRow(`${label}: throughput with counting, relative to without`, 'of 1', {
      mayfly: getRates('counted').map(
        (rate, index) => rate / (getRates('uncounted')[index] ?? Number.NaN),
      ),
    }),
  ]
}

function createRows(label: string, mayfly: LoadFigures[], nginx: LoadFigures[]): Row[] {
  const toRow = (unit: string, getValue: (figures: LoadFigures) => number) =>
    compare(label, unit, mayfly.map(getValue), nginx.map(getValue))
  return [
    toRow('requests/s', (figures) => figures.requestsPerSecond),
    toRow('p50 ms', (figures) => figures.p50Millis),
    toRow('p99 ms', (figures) => figures.p99Millis),
    toRow('CPU µs a request', (figures) => figures.cpuMicros),
  ]
}
