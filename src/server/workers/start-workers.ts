import { gatherFromWorkers } from '../metrics/worker-metrics.ts'
import type { DataFolder, DataFolderOptions } from '../open-data-folder.ts'
import type { Greeting } from './messages.ts'
import { Workers } from './workers.ts'

export interface WorkersStart extends DataFolderOptions {
  /** The data folder, which is open. */
  folder: DataFolder
  /** Is called when no worker serves and a new one cannot start: see `WorkersOptions`. */
  onLost(error: unknown): void
}

/**
 * Starts the workers: `WORKERS` processes. Each of them runs `startServer`, as a server without
 * workers does.
 * @returns what the terminal shows after the start: the address, and the administrator's new
 * password if a worker has made the administrator.
 * @throws {StartFault} when a worker cannot start.
 */
export async function startWorkers(options: WorkersStart): Promise<Greeting> {
  const { config, folder, log, shutdown, onLost } = options
  if (folder.postgres) folder.space.watch()
  const { workers: count, drainMs } = config
  const workers = new Workers({ count, drainMs, log, onLost })
  gatherFromWorkers(() => workers.serving())
  shutdown.add({ name: 'workers', close: () => workers.close(), abandon: () => workers.abandon() })
  return workers.start()
}
