import type { Draw } from '../support/seeded-rounds.ts'
import type { Setup } from './setups.ts'
import type { Stage } from './stage.ts'

/** What a fault disturbs. The processes are those of the server, the clock is the server's. */
export type Disturbed = 'processes' | 'jobs' | 'clock' | 'database' | 'bucket' | 'mail' | 'disk'

/** Where a fault happens, if it can happen there. */
export interface Scene extends Setup {
  /** Whether nothing else uses the Postgres of the play. */
  ownsPostgres: boolean
}

/** Something that fails while users work. */
export interface Fault {
  /** Two faults that disturb the same thing are not injected at the same time. */
  disturbs: readonly Disturbed[]
  /** How often the fault is drawn, compared with the others. */
  weight: number
  /**
   * Whether the fault can happen in a scene. Without this function, it can happen in every scene.
   */
  isIn?(scene: Scene): boolean
  /**
   * Whether the server may answer downloads without counting them while the fault lasts. It does so
   * while the database is away.
   */
  losesCounts?: boolean
  /** Whether the fault lasts so long that players go on playing until it is over. */
  isLong?: boolean
  /**
   * Injects the fault while users work. After the round, `recover` in recover.ts ends what still
   * lasts, and starts a killed server again.
   */
  inject(stage: Stage, random: Draw): Promise<void>
}

/** The longest time, in milliseconds, from the beginning of a round to its fault. */
export const longestDelayMs = 100
