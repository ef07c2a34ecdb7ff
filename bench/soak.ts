/**
 * Runs mixed traffic from users, programs and attackers with a constant number of clients. Fails if
 * the server's memory, heap, handles or database connections grow, or if a response is unexpected.
 * Usage: `npm run soak -- --minutes 10`.
 */
import { readdirSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { findGrowth, type Sample } from './growth.ts'
import { makeDiskScratch } from './machine.ts'
import { type Mayfly, startMayfly } from './mayfly.ts'
import { readProportionalBytes, readResidentBytes } from './process-cost.ts'
import { table } from './report.ts'
import { prepareSoak } from './soak-actions.ts'
import { runSlowClients, runTraffic, TrafficTally } from './soak-traffic.ts'

/**
 * Maximum idle time after each round, which lets the server finish its work before it is measured.
 */
const maxRestMs = 2000
/** A shorter run consists of a single round and doesn't check growth. */
const minMinutes = 1
const MiB = 1024 ** 2

const { values } = parseArgs({ options: { minutes: { type: 'string', default: '10' } } })
const minutes = Number(values.minutes)
const isShort = minutes < minMinutes
if (!(minutes > 0)) {
  console.error('--minutes is a number above 0, such as --minutes 2.5')
  process.exitCode = 1
} else {
  const rounds = isShort ? 1 : 10
  const problems = await soak(rounds, (minutes * 60_000) / rounds)
  for (const problem of problems) console.error(problem)
  if (problems.length > 0) process.exitCode = 1
  else if (isShort) console.log('Every answer was the expected one.')
  else console.log('Nothing grew, and every answer was the expected one.')
}

/**
 * Runs the rounds. Prints one table of the rounds and one of the actions. Returns one sentence per
 * problem.
 * @param roundMs duration of a round, including its idle time.
 */
async function soak(rounds: number, roundMs: number): Promise<string[]> {
  const restMs = Math.min(maxRestMs, roundMs / 4)
  const scratch = await makeDiskScratch()
  const mayfly = await startMayfly(join(scratch, 'data'), '')
  const samples: Sample[] = []
  const lines: string[][] = []
  const tally = new TrafficTally()
  const stopController = new AbortController()
  try {
    const fixture = await prepareSoak(mayfly)
    const startedAt = performance.now()
    const slowClientsPromise = runSlowClients(mayfly, fixture, tally, stopController.signal)
    for (let round = 1; round <= rounds; round += 1) {
      const successCountBefore = tally.successCount()
      await runTraffic(mayfly, fixture, tally, roundMs - restMs)
      await wait(restMs)
      const sample = await takeSample(mayfly)
      samples.push(sample)
      lines.push([
        ((performance.now() - startedAt) / 60_000).toFixed(1),
        String(tally.successCount() - successCountBefore),
        sample.memoryMiB.toFixed(0),
        sample.heapMiB.toFixed(0),
        String(sample.handles),
        String(sample.connections),
        String(sample.checkedOut),
        (readProportionalBytes(mayfly.postgresPids()) / MiB).toFixed(0),
      ])
      console.error(`round ${round} of ${rounds}`)
    }
    stopController.abort()
    await slowClientsPromise
  } finally {
    stopController.abort()
    await mayfly.stop()
    await rm(scratch, { recursive: true, force: true })
  }
  const headings = [
    'minute',
    'actions',
    'RSS MiB',
    'heap MiB',
    'handles',
    'pg connections',
    'checked out',
    'Postgres MiB',
  ]
  console.log(`${table(headings, lines)}\n`)
  const actionRows = [...tally.actions].map(([name, { started, succeeded }]) => [
    name,
    String(started),
    String(succeeded),
  ])
  console.log(`${table(['action', 'started', 'succeeded'], actionRows)}\n`)
  return [
    ...[...tally.problems].map(([problem, times]) => `${problem} (${times} times)`),
    ...(isShort ? [] : findGrowth(samples)),
  ]
}

async function takeSample(mayfly: Mayfly): Promise<Sample> {
  const [connectionRow] = await mayfly.sql<{ count: number }>(
    "select count(*)::int as count from pg_stat_activity where application_name like 'mayfly%'",
  )
  const metricsText = await (await fetch(`${mayfly.url}/metrics`)).text()
  const getMetric = (name: string) => {
    const line = metricsText.split('\n').find((metricLine) => metricLine.startsWith(`${name} `))
    return Number(line?.slice(name.length))
  }
  return {
    memoryMiB: readResidentBytes([mayfly.pid]) / MiB,
    heapMiB: getMetric('nodejs_heap_size_used_bytes') / MiB,
    handles: readdirSync(`/proc/${mayfly.pid}/fd`).length,
    connections: connectionRow?.count ?? Number.NaN,
    checkedOut: getMetric('mayfly_database_connections{state="used"}'),
  }
}
