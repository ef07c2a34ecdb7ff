import { setTimeout as wait } from 'node:timers/promises'
import { moments } from '../support/postgres-proxy.ts'
import { type Fault, longestDelayMs, type Scene } from './fault.ts'
import type { Stage } from './stage.ts'

const longestAwayMs = 1200
/** Longer than the server waits for a connection or for most statements. */
const longAwayMs = 30_000
/** Faults of the mail look into the database themselves, so it must be there. */
const postgresItself = ['database', 'mail'] as const

function ownsPostgres(scene: Scene): boolean {
  return scene.ownsPostgres
}

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

/** What happens to Postgres, and to the network in front of it. */
export const databaseFaults = {
  'a connection to Postgres is cut': {
    disturbs: ['database'],
    weight: 4,
    losesCounts: true,
    async inject({ network }, random) {
      network.cutAt(1 + random(40), moments[random(moments.length)] ?? moments[0])
    },
  },
  'Postgres ends all connections': {
    disturbs: ['database'],
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
    disturbs: ['database'],
    weight: 1,
    losesCounts: true,
    async inject(stage, random) {
      await wait(random(longestDelayMs))
      const pids = await signalPostgres(stage, 'SIGSTOP')
      await wait(random(longestAwayMs))
      for (const pid of pids) send(pid, 'SIGCONT')
    },
  },
  'the network to Postgres is silent': {
    disturbs: ['database'],
    weight: 1,
    losesCounts: true,
    async inject({ network }, random) {
      await wait(random(longestDelayMs))
      network.silence()
      await wait(random(longestAwayMs))
      network.open()
      // After a silence, a network may have lost its connections for ever. Often it ends them, so
      // that both sides notice. Otherwise they stay silent.
      if (random(4) > 0) network.endSilent()
    },
  },
  'Postgres is restarted': {
    disturbs: postgresItself,
    weight: 2,
    isIn: ownsPostgres,
    losesCounts: true,
    async inject({ postgres }, random) {
      await wait(random(longestDelayMs))
      await postgres?.restart(random(longestAwayMs))
    },
  },
  'Postgres is killed': {
    disturbs: postgresItself,
    weight: 2,
    isIn: ownsPostgres,
    losesCounts: true,
    async inject({ postgres }, random) {
      await wait(random(longestDelayMs))
      await postgres?.kill()
    },
  },
  'Postgres is away for long': {
    disturbs: postgresItself,
    // It takes too long to be drawn. A test asks for it.
    weight: 0,
    isIn: ownsPostgres,
    losesCounts: true,
    isLong: true,
    async inject({ postgres }) {
      await postgres?.restart(longAwayMs)
    },
  },
} as const satisfies Record<string, Fault>
