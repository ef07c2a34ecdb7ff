import type { RandomInt } from '../support/seeded-rounds.ts'
import type { Environment } from './environment.ts'
import type { Setup } from './setups.ts'

/**
 * The part of the system a fault affects: the server's processes, jobs or clock, or a service it
 * depends on.
 */
export type Target = 'processes' | 'jobs' | 'clock' | 'database' | 'bucket' | 'mail' | 'disk'

/** Properties of a scenario that decide which faults are possible in it. */
export interface FaultContext extends Setup {
  hasOwnPostgres: boolean
}

export interface Fault {
  /** Two faults that affect the same target are never injected together. */
  affects: readonly Target[]
  /** Relative probability of this fault being drawn. */
  weight: number
  /** Returns true if the fault can occur in this scenario. If omitted, it always can. */
  isPossible?(context: FaultContext): boolean
  /** True if some downloads may not be counted, for example because the database is down. */
  canLoseCounts?: boolean
  /** True if users keep acting until the fault is over. */
  isLong?: boolean
  /** Injects the fault while users are active. `recover` cleans up after the round. */
  inject(environment: Environment, random: RandomInt): Promise<void>
}

/** The longest delay between the start of a round and a fault. */
export const maxDelayMs = 100
