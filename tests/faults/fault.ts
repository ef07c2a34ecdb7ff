import type { RandomInt } from '../support/seeded-rounds.ts'
import type { Environment } from './environment.ts'
import type { Setup } from './setups.ts'

/**
 * The part of the system a fault affects: the server's processes, jobs or clock, or a service it
 * depends on.
 */
export type Target = 'processes' | 'jobs' | 'clock' | 'database' | 'bucket' | 'mail' | 'disk'

/** The properties of a scenario that determine which faults are possible in it. */
export interface FaultContext extends Setup {
  hasOwnPostgres: boolean
}

export interface Fault {
  /** Two faults that affect the same target are never injected together. */
  affects: readonly Target[]
  /** How likely this fault is to be drawn, relative to the others. */
  weight: number
  /** Returns true if the fault is possible in this scenario. If omitted, it always is. */
  isPossible?(context: FaultContext): boolean
  /** True if some downloads may go uncounted, for example because the database is down. */
  canLoseCounts?: boolean
  /** True if users keep acting for as long as the fault lasts. */
  isLong?: boolean
  /** Injects the fault while users are active. Once the round is over, `recover` cleans up. */
  inject(environment: Environment, random: RandomInt): Promise<void>
}

/** The longest delay between the start of a round and the injection of a fault. */
export const maxDelayMs = 100
