import type { Logger } from 'pino'
import type { PasswordHashing } from './auth/password-hashing.ts'
import type { Clock } from './clock.ts'
import type { Config } from './config/config.ts'
import type { Db } from './db/transaction.ts'
import type { MailQueue } from './email/mail-queue.ts'
import type { Mailer } from './email/mailer.ts'
import type { RateLimits } from './http/rate-limit.ts'
import type { OnDemandJob } from './jobs/job-names.ts'
import type { Metrics } from './metrics/metrics.ts'
import type { AdminSettings } from './settings/admin-settings.ts'
import type { DiskSpace } from './space/disk-space.ts'
import type { Stores } from './storage/stores.ts'
import type { Transfers } from './storage/transfers.ts'

export type { Clock, Db }

/**
 * The dependencies of use cases. Each use case declares those it needs: `Pick<Deps, 'db' |
 * 'clock'>`.
 */
export interface Deps {
  config: Config
  clock: Clock
  log: Logger
  db: Db
  stores: Stores
  /** The transfers that this server makes itself. */
  transfers: Transfers
  /** The free space on the disk that holds `DATA_DIR`. */
  space: Pick<DiskSpace, 'readStatus'>
  /** The key for cookie signatures, keyed hashes and password salts. */
  secret: string
  passwords: Pick<PasswordHashing, 'hash'>
  rateLimits: RateLimits
  mailQueue: MailQueue
  /** Runs a job now, without waiting for its next scheduled time. */
  requestJob: (name: OnDemandJob) => void
  mailer: Mailer
  settings: AdminSettings
  metrics: Metrics
  /** The size of this process's connection pool. */
  maxDatabaseConnections: number
  /**
   * Call this before the first query of a request.
   * @throws {AppError} SERVER_BUSY while too many queries are waiting for the database.
   */
  shedLoad: () => void
  /** Aborted by a stop signal. The server keeps responding for a while after that. */
  stopping: AbortSignal
}
