import { setTimeout as wait } from 'node:timers/promises'
import type pg from 'pg'
import { moments, type PostgresProxy } from '../support/postgres-proxy.ts'
import type { Draw } from '../support/seeded-rounds.ts'
import type { FaultServer } from './fault-server.ts'

/** What a fault can disturb, and a connection that no fault disturbs. */
export interface Stage {
  server: FaultServer
  /** The network between the server and Postgres. */
  network: PostgresProxy
  /** A connection to Postgres that does not pass through `network`. */
  witness: pg.Client
}

interface Fault {
  /** How often the fault is drawn, compared with the others. */
  weight: number
  /**
   * Whether the server may answer downloads without counting them while the fault lasts. It does so
   * while the database is away.
   */
  losesCounts: boolean
  /**
   * Injects the fault while users work. After the round, `recover` in play.ts opens the network and
   * starts a killed server again.
   */
  inject(stage: Stage, random: Draw): Promise<void>
}

const hourMs = 60 * 60_000
const longestDelayMs = 60

async function signalPostgres({ witness }: Stage, signal: NodeJS.Signals): Promise<number[]> {
  const { rows } = await witness.query<{ pid: number }>(
    `select pid from pg_stat_activity
     where datname = current_database() and pid <> pg_backend_pid()`,
  )
  const pids = rows.map(({ pid }) => pid)
  for (const pid of pids) send(pid, signal)
  return pids
}

/** Sends a signal to a process. Does nothing if the process has ended meanwhile. */
function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch {}
}

/** Every fault by its name. The reports and error messages contain these names. */
export const faults = {
  'no fault': { weight: 3, losesCounts: false, inject: async () => {} },
  'the server is killed': {
    weight: 4,
    losesCounts: false,
    async inject({ server }, random) {
      await wait(random(longestDelayMs))
      await server.kill()
    },
  },
  'the server is killed twice': {
    weight: 1,
    losesCounts: false,
    async inject({ server }, random) {
      await wait(random(longestDelayMs))
      await server.kill()
      const starting = server.start().catch(() => {})
      await wait(random(400))
      await server.kill()
      await starting
    },
  },
  'a connection to Postgres is cut': {
    weight: 4,
    losesCounts: true,
    async inject({ network }, random) {
      network.cutAt(1 + random(40), moments[random(moments.length)] ?? moments[0])
    },
  },
  'Postgres ends all connections': {
    weight: 2,
    losesCounts: true,
    async inject({ witness }, random) {
      await wait(random(longestDelayMs))
      await witness.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
         where datname = current_database() and pid <> pg_backend_pid()`,
      )
    },
  },
  'Postgres stands still': {
    weight: 1,
    losesCounts: true,
    async inject(stage, random) {
      await wait(random(longestDelayMs))
      const pids = await signalPostgres(stage, 'SIGSTOP')
      await wait(random(1200))
      for (const pid of pids) send(pid, 'SIGCONT')
    },
  },
  'the network to Postgres is silent': {
    weight: 1,
    losesCounts: true,
    async inject({ network }, random) {
      await wait(random(longestDelayMs))
      network.silence()
      await wait(random(1200))
      network.open()
    },
  },
  'the jobs run': {
    weight: 3,
    losesCounts: false,
    async inject({ server }, random) {
      await wait(random(longestDelayMs))
      await server.order({ do: 'run-jobs' })
    },
  },
  'the server is killed while the jobs run': {
    weight: 3,
    losesCounts: false,
    async inject({ server }, random) {
      const jobs = server.order({ do: 'run-jobs' })
      await wait(random(longestDelayMs))
      await server.kill()
      await jobs
    },
  },
  'time passes': {
    weight: 4,
    losesCounts: false,
    async inject({ server }, random) {
      await wait(random(longestDelayMs))
      await server.setClock(new Date(server.now().getTime() + random(30 * hourMs)))
    },
  },
  'the clock is set back': {
    weight: 1,
    losesCounts: false,
    async inject({ server }, random) {
      await wait(random(longestDelayMs))
      await server.setClock(new Date(server.now().getTime() - random(hourMs)))
    },
  },
} satisfies Record<string, Fault>

export type FaultName = keyof typeof faults

const names = Object.keys(faults) as FaultName[]
const drawn = names.flatMap((name) => Array<FaultName>(faults[name].weight).fill(name))

/** Draws a fault. One with a higher weight is drawn more often. */
export function drawFault(random: Draw): FaultName {
  return drawn[random(drawn.length)] ?? 'no fault'
}
