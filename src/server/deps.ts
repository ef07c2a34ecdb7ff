import type { NodePgDatabase } from 'drizzle-orm/node-postgres'
import type { Logger } from 'pino'
import type { Auth } from './auth/auth.ts'
import type { Config } from './config.ts'
import type * as schema from './db/schema.ts'
import type { RateLimits } from './http/rate-limit.ts'
import type { Stores } from './storage/stores.ts'

export type Db = NodePgDatabase<typeof schema>

/** Tells the time; tests set it. Nothing else in the server asks the system for it. */
export type Clock = () => Date

/** Everything a use case can be given; each names the few it takes (`Pick<Deps, 'db' | 'clock'>`). */
export interface Deps {
  config: Config
  clock: Clock
  log: Logger
  db: Db
  stores: Stores
  auth: Auth
  rateLimits: RateLimits
}
