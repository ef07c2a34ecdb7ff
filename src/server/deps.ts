import type { Logger } from 'pino'
import type { PasswordHashing } from './auth/password-hashing.ts'
import type { Clock } from './clock.ts'
import type { Config } from './config/config.ts'
import type { Db } from './db/transaction.ts'
import type { MailQueue } from './email/mail-queue.ts'
import type { Mailer } from './email/mailer.ts'
import type { RateLimits } from './http/rate-limit.ts'
import type { JobOnDemand } from './jobs/job-names.ts'
import type { Metrics } from './metrics/metrics.ts'
import type { AdminSettings } from './settings/admin-settings.ts'
import type { DiskSpace } from './space/disk-space.ts'
import type { Stores } from './storage/stores.ts'

export type { Clock, Db }

/**
 * Everything that a use case can need. Each use case names the few it takes (`Pick<Deps, 'db' |
 * 'clock'>`).
 */
export interface Deps {
  config: Config
  clock: Clock
  log: Logger
  db: Db
  stores: Stores
  /** The free space of the disk of `DATA_DIR`. */
  space: Pick<DiskSpace, 'figures'>
  /** Signs cookies. */
  secret: string
  passwords: Pick<PasswordHashing, 'hash'>
  rateLimits: RateLimits
  mailQueue: MailQueue
  /** Asks for a run of a job that would else wait up to a minute for its next one. */
  askForJob: (name: JobOnDemand) => void
  mailer: Mailer
  settings: AdminSettings
  metrics: Metrics
  /** How many connections to the database the pool of this process opens at most. */
  mostDatabaseConnections: number
  /**
   * Is called before the first query of a request.
   * @throws {AppError} SERVER_BUSY while too many requests wait for the database.
   */
  shedLoad: () => void
  /** Aborts when the server is told to stop. After that the server still answers for a while. */
  stopping: AbortSignal
}
