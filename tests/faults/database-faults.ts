import { setTimeout as wait } from 'node:timers/promises'
import { cutPoints } from '../support/postgres-proxy.ts'
import type { Environment } from './environment.ts'
import { type Fault, type FaultContext, maxDelayMs } from './fault.ts'

const maxOutageMs = 1200
/** Longer than the server's timeouts for connections and most statements. */
const longOutageMs = 30_000
/** Includes the mail server, because email faults need the database to be up. */
const postgresTargets = ['database', 'mail'] as const

function hasOwnPostgres(context: FaultContext): boolean {
  return context.hasOwnPostgres
}

async function signalPostgres(
  { directDb }: Environment,
  signal: NodeJS.Signals,
): Promise<number[]> {
  const { rows } = await directDb.query<{ pid: number }>(
    `select pid from pg_stat_activity
     where datname = current_database() and pid <> pg_backend_pid()`,
  )
  const pids = rows.map(({ pid }) => pid)
  for (const pid of pids) sendSignal(pid, signal)
  return pids
}

/** Sends a signal to a process unless it has already exited. */
function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch {}
}

/** Faults in Postgres and in the network between it and the server. */
export const databaseFaults = {
  'a connection to Postgres is cut': {
    affects: ['database'],
    weight: 4,
    canLoseCounts: true,
    async inject({ network }, random) {
      network.cutAt(1 + random(40), cutPoints[random(cutPoints.length)] ?? cutPoints[0])
    },
  },
  'Postgres ends all connections': {
    affects: ['database'],
    weight: 2,
    canLoseCounts: true,
    async inject({ directDb }, random) {
      await wait(random(maxDelayMs))
      await directDb.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
         where datname = current_database() and pid <> pg_backend_pid()`,
      )
    },
  },
  'Postgres is paused': {
    affects: ['database'],
    weight: 1,
    canLoseCounts: true,
    async inject(environment, random) {
      await wait(random(maxDelayMs))
      const pids = await signalPostgres(environment, 'SIGSTOP')
      await wait(random(maxOutageMs))
      for (const pid of pids) sendSignal(pid, 'SIGCONT')
    },
  },
  'the network to Postgres drops packets': {
    affects: ['database'],
    weight: 1,
    canLoseCounts: true,
    async inject({ network }, random) {
      await wait(random(maxDelayMs))
      network.silence()
      await wait(random(maxOutageMs))
      network.restore()
      // Connections that didn't survive the outage are usually reset, but sometimes stay silent.
      if (random(4) > 0) network.closeSilent()
    },
  },
  'Postgres is restarted': {
    affects: postgresTargets,
    weight: 2,
    isPossible: hasOwnPostgres,
    canLoseCounts: true,
    async inject({ postgres }, random) {
      await wait(random(maxDelayMs))
      await postgres?.restart(random(maxOutageMs))
    },
  },
  'Postgres is killed': {
    affects: postgresTargets,
    weight: 2,
    isPossible: hasOwnPostgres,
    canLoseCounts: true,
    async inject({ postgres }, random) {
      await wait(random(maxDelayMs))
      await postgres?.kill()
    },
  },
  'Postgres is down for long': {
    affects: postgresTargets,
    // Too slow to be drawn at random. A test injects it explicitly.
    weight: 0,
    isPossible: hasOwnPostgres,
    canLoseCounts: true,
    isLong: true,
    async inject({ postgres }) {
      await postgres?.restart(longOutageMs)
    },
  },
} as const satisfies Record<string, Fault>
