import type { Logger } from 'pino'
import type { Config } from '../config/config.ts'
import { startEmbeddedPostgres } from '../db/embedded-postgres.ts'
import { DiskSpace } from '../space/disk-space.ts'
import { storeOfNewFiles } from '../storage/store-of-new-files.ts'
import { lockDataDir, prepareDataDir } from './data-dir.ts'
import type { Shutdown } from './shutdown.ts'

export interface DataFolderOptions {
  config: Config
  log: Logger
  /** Gets every part that has started, also when a later one cannot start. */
  shutdown: Shutdown
  /** Is called when the embedded Postgres is lost. */
  onLost(error: unknown): void
}

export interface DataFolder {
  /** The free space of the disk. The caller begins to watch it when the database is open. */
  space: DiskSpace
}

/**
 * Makes the data folder ready: it exists, no other server uses it, its free space is known, and the
 * embedded Postgres runs, unless DATABASE_URL names another one.
 * @throws {StartupError} when the folder cannot be used, or Postgres cannot run.
 */
export async function openDataFolder({
  config,
  log,
  shutdown,
  onLost,
}: DataFolderOptions): Promise<DataFolder> {
  const { databaseUrl, dataDir, minFreeSpace: minFree } = config
  await prepareDataDir(dataDir)
  const unlock = lockDataDir(dataDir)
  shutdown.add({ name: 'data folder', close: async () => unlock() })
  const space = await DiskSpace.open({
    folder: dataDir,
    minFree,
    takesUploads: storeOfNewFiles(config) === 'disk',
    keepsReserve: databaseUrl === null,
    log,
  })
  // Closed after the embedded Postgres, which may need the reserve to stop.
  shutdown.add({ name: 'disk space', close: () => space.close() })
  if (databaseUrl !== null) return { space }
  const postgres = await startEmbeddedPostgres(dataDir, log)
  shutdown.add({ name: 'embedded Postgres', close: postgres.stop, abandon: postgres.abandon })
  postgres.onLost(onLost)
  return { space }
}
