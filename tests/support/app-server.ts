import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type pg from 'pg'
import { type Logger, pino } from 'pino'
import { type HashCost, PasswordHashing } from '../../src/server/auth/password-hashing.ts'
import { openStorage } from '../../src/server/boot/open-storage.ts'
import { serve } from '../../src/server/boot/serve.ts'
import { readConfig } from '../../src/server/config/config.ts'
import { connectionNames, openPool, type PoolLimits, poolLimits } from '../../src/server/db/pool.ts'
import type { Deps } from '../../src/server/deps.ts'
import { createMailer } from '../../src/server/email/create-mailer.ts'
import type { Email } from '../../src/server/email/mailer.ts'
import { makeLoadShedder } from '../../src/server/http/limits.ts'
import { createRateLimits } from '../../src/server/http/rate-limit.ts'
import type { JobQueue, openJobQueue } from '../../src/server/jobs/job-queue.ts'
import { logSerializers } from '../../src/server/logging/log.ts'
import { createMetrics } from '../../src/server/metrics/metrics.ts'
import { AdminSettings } from '../../src/server/settings/admin-settings.ts'
import { DiskSpace, type UploadSpace } from '../../src/server/space/disk-space.ts'
import type { DiskStorage } from '../../src/server/storage/disk/disk.ts'
import type { Storage } from '../../src/server/storage/storage.ts'
import { storeOfNewFiles } from '../../src/server/storage/stores.ts'
import { findFreePort } from './free-port.ts'
import { makeMailBox } from './mail-box.ts'
import type { TestDatabase } from './postgres-server.ts'
import { type TestClock, testClock } from './test-clock.ts'
import { type LogLine, logCollector } from './test-log.ts'

/** A real server on a real port, with its own database and store. */
export interface TestApp {
  /** The server's origin, such as http://127.0.0.1:41234. */
  url: string
  deps: Deps
  /** Where new files are stored: in the bucket if there is one, otherwise on disk. */
  storage: Storage
  disk: DiskStorage
  pool: pg.Pool
  passwords: PasswordHashing
  clock: TestClock
  /** The job queue in the database. Undefined unless the test has passed `openQueue`. */
  jobQueue: JobQueue | undefined
  logLines: LogLine[]
  /** Makes the server report that it is shutting down, although it keeps accepting requests. */
  announceShutdown(): void
  /** Sends the emails queued since the last call, and returns them. */
  sendQueuedEmails(): Promise<Email[]>
  close(): Promise<void>
}

export interface TestAppOptions {
  /** Settings for the server, as environment variables. */
  env?: Record<string, string>
  /** How expensive it is to hash a password. Minimal by default. */
  passwordCost?: HashCost
  /** The free space that uploads may use. Defaults to the disk's free space. */
  space?: UploadSpace
  /** An existing data directory, which `close` doesn't delete. Defaults to a temporary one. */
  dataDir?: string
  /** Database connection limits and timeouts. Default to the production values. */
  poolLimits?: PoolLimits
  /** The server's clock. Defaults to one that stands still at the current time. */
  clock?: TestClock
  /** Where the server writes its log. By default, lines are collected in `logLines`. */
  log?: Logger
  /**
   * Opens a job queue in the database, which is used for emails. By default, emails stay in memory
   * until `sendQueuedEmails` is called.
   */
  openQueue?: typeof openJobQueue
}

/** Starts a server on a database that has all tables. Closing the server drops the database. */
export async function serveApp(
  database: TestDatabase,
  {
    env = {},
    space,
    dataDir: existingDataDir,
    poolLimits: limits = poolLimits,
    clock = testClock(),
    log: customLog,
    openQueue,
    passwordCost = { N: 16, r: 1, p: 1 },
  }: TestAppOptions = {},
): Promise<TestApp> {
  const dataDir = existingDataDir ?? (await mkdtemp(join(tmpdir(), 'mayfly-app-')))
  // Presigned URLs contain the port, so choose it before listening.
  const port = await findFreePort()
  const config = readConfig({
    PORT: String(port),
    DATA_DIR: dataDir,
    DATABASE_URL: database.url,
    RATE_LIMITS: 'off',
    MIN_FREE_SPACE: '0',
    ...env,
  })
  const logLines: LogLine[] = []
  const log =
    customLog ?? pino({ level: 'debug', serializers: logSerializers }, logCollector(logLines))
  const metrics = createMetrics()
  const {
    pool,
    db,
    close: closeDatabase,
  } = openPool(
    { connectionString: database.url, application_name: connectionNames.server },
    log,
    limits,
  )
  const secret = 'a secret that only this test run knows'
  const diskSpace = await DiskSpace.open({
    folder: dataDir,
    minFree: config.minFreeSpace,
    storesUploads: storeOfNewFiles(config) === 'disk',
    hasReserve: false,
    log,
  })
  diskSpace.watch()
  const shedLoad = makeLoadShedder({ clock, log, pool, maxWaiting: limits.maxWaiting })
  const storage = await openStorage({
    config,
    clock,
    log,
    db,
    shedLoad,
    secret,
    space: space ?? diskSpace,
    metrics,
  })
  const { stores, disk } = storage
  const passwords = new PasswordHashing(passwordCost)
  const rateLimits = createRateLimits({ pool, clock, enabled: config.rateLimits })
  const mailBox = makeMailBox()
  const jobQueue = await openQueue?.(pool, log)
  const mailQueue = jobQueue?.emails ?? mailBox.queue
  const settings = new AdminSettings({
    db,
    clock,
    supportEmail: config.supportEmail,
    onCap: ({ leastFree }) => diskSpace.setAdminMinFree(leastFree),
  })
  const shutdown = new AbortController()
  const deps = {
    config,
    clock,
    log,
    db,
    stores,
    transfers: disk.transfers,
    space: diskSpace,
    secret,
    passwords,
    rateLimits,
    mailQueue,
    requestJob() {},
    mailer: config.smtpUrl === null ? mailBox.mailer : createMailer(config, { clock, log }),
    settings,
    metrics,
    maxDatabaseConnections: pool.options.max,
    shedLoad,
    stopping: shutdown.signal,
  }
  const server = await serve(deps, {
    distDir: resolve('dist/web'),
    storage,
    pool,
    space: diskSpace,
  })

  return {
    url: config.appUrl.origin,
    deps,
    storage: stores.current,
    disk,
    pool,
    passwords,
    clock,
    jobQueue,
    logLines,
    announceShutdown: () => shutdown.abort(),
    sendQueuedEmails: () => mailBox.collect(deps),
    async close() {
      await storage.close()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      await jobQueue?.stop()
      await closeDatabase()
      await diskSpace.close()
      await database.drop()
      if (existingDataDir === undefined) await rm(dataDir, { recursive: true, force: true })
    },
  }
}
