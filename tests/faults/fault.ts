import type { Draw } from '../support/seeded-rounds.ts'
import type { Environment } from './environment.ts'
import type { Setup } from './setups.ts'

/** What a fault affects: the server's processes, jobs and clock, or something it depends on. */
export type Target = 'processes' | 'jobs' | 'clock' | 'database' | 'bucket' | 'mail' | 'disk'

/** The scenario a fault may happen in. */
export interface FaultContext extends Setup {
  /** Whether this scenario has a Postgres of its own. */
  ownsPostgres: boolean
}

export interface Fault {
  /** Faults that share a target are not injected together. */
  affects: readonly Target[]
  /** Relative probability. */
  weight: number
  /** Always possible without this. */
  isPossible?(context: FaultContext): boolean
  /** Whether downloads may go uncounted, as while the database is down. */
  mayLoseCounts?: boolean
  /** Whether users keep working until the fault is over. */
  isLong?: boolean
  /** Injects the fault while users work. `recover` cleans up after the round. */
  inject(environment: Environment, random: Draw): Promise<void>
}

/** The longest delay of a fault from the start of a round. */
export const longestDelayMs = 100
