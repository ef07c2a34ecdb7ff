import type { Logger } from 'pino'
import type { Config } from './config.ts'
import { prepareDataDir } from './data-dir.ts'
import { embeddedConnections } from './db/connection-shares.ts'
import { type EmbeddedPostgres, startEmbeddedPostgres } from './db/embedded-postgres.ts'
import type { Shutdown } from './shutdown.ts'
import { DiskSpace } from './space/disk-space.ts'
import { storeOfNewFiles } from './storage/store-of-new-files.ts'

export interface DataFolderOptions {
  config: Config
  log: Logger
  /** Gets every part that has started, also when a later one cannot start. */
  shutdown: Shutdown
  /** Is called when the embedded Postgres is lost. */
  onLost(error: unknown): void
}

/** What a process does with the data folder: it is the only server, starts workers, or is one. */
export type FolderRole = 'server' | 'primary' | 'worker'

export interface DataFolder {
  /** The free space of the disk. The caller begins to watch it when the database is open. */
  space: DiskSpace
  /** The Postgres that this process runs; null where another process or machine runs it. */
  postgres: EmbeddedPostgres | null
}

/**
 * Makes the data folder ready: it exists, its free space is known, and the embedded Postgres runs,
 * if this process has to run it. A start does this first, and needs few modules for it. So Postgres
 * starts while this process loads the rest of the server.
 * @throws {StartFault} when the folder cannot be used, or Postgres cannot run.
 */
export async function openDataFolder(
  { config, log, shutdown, onLost }: DataFolderOptions,
  role: FolderRole,
): Promise<DataFolder> {
  const { databaseUrl, dataDir, minFreeSpace: minFree, workers } = config
  await prepareDataDir(dataDir)
  const ofReserve = role === 'worker' ? 'reserve kept elsewhere' : 'reserve kept here'
  const space = await DiskSpace.open({
    folder: dataDir,
    minFree,
    takesUploads: role !== 'primary' && storeOfNewFiles(config) === 'disk',
    database: databaseUrl === null ? ofReserve : 'none',
    log,
  })
  // What is added first is closed last. This is the first: the embedded Postgres may need disk
  // space to stop, and until then `space` can free its reserve.
  shutdown.add({ name: 'disk space', close: () => space.close() })
  if (databaseUrl !== null || role === 'worker') return { space, postgres: null }
  const connections = embeddedConnections(role === 'primary' ? workers : 1)
  const postgres = await startEmbeddedPostgres(dataDir, log, connections)
  shutdown.add({ name: 'embedded Postgres', close: postgres.stop, abandon: postgres.abandon })
  postgres.onLost(onLost)
  return { space, postgres }
}
