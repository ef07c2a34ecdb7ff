import type { Logger } from 'pino'
import type { Config } from '../config.ts'
import { prepareDataDir } from '../data-dir.ts'
import { embeddedConnections } from '../db/connection-shares.ts'
import { startEmbeddedPostgres } from '../db/embedded-postgres.ts'
import { gatherFromWorkers } from '../metrics/worker-metrics.ts'
import type { Shutdown } from '../shutdown.ts'
import { DiskSpace } from '../space/disk-space.ts'
import type { Greeting } from './messages.ts'
import { Workers } from './workers.ts'

export interface WorkersStart {
  config: Config
  log: Logger
  /** Gets every part that has started, also when a later one cannot start. */
  shutdown: Shutdown
  /** Is called when the database is lost, or no worker can be started any more. */
  onLost(error: unknown): void
}

/**
 * Starts what all workers share, and then the workers: `WORKERS` processes. Each of them runs
 * `startServer`, as a server without workers does.
 * @returns what the terminal shows after the start: the address, and the administrator's new
 * password if a worker has made the administrator.
 * @throws {StartFault} when the database or a worker cannot start.
 */
export async function startWorkers(options: WorkersStart): Promise<Greeting> {
  const { config, log, shutdown, onLost } = options
  const { dataDir } = config
  await prepareDataDir(dataDir)
  if (config.databaseUrl === null) {
    const space = await DiskSpace.open({
      folder: dataDir,
      minFree: config.minFreeSpace,
      takesUploads: false,
      database: 'reserve kept here',
      log,
    })
    shutdown.add({ name: 'disk space', close: () => space.close() })
    const postgres = await startEmbeddedPostgres(dataDir, log, embeddedConnections(config.workers))
    shutdown.add({ name: 'database', close: postgres.stop, abandon: postgres.abandon })
    postgres.onLost(onLost)
    space.watch()
  }
  const { workers: count, drainMs } = config
  const workers = new Workers({ count, drainMs, log, onLost })
  gatherFromWorkers(() => workers.serving())
  shutdown.add({ name: 'workers', close: () => workers.close(), abandon: () => workers.abandon() })
  return workers.start()
}
