import type { Config } from '../config/config.ts'
import { openBesideServer } from '../db/open-beside.ts'
import type { Deps } from '../deps.ts'
import { noteBackup } from './queries.ts'

/**
 * Notes in the database that another program has made a backup just now. The checks of the Admin
 * Center then count its age as that of a backup by `npm run backup`.
 * @throws {StartupError} when the database cannot be used.
 */
export async function noteOtherBackup({
  config,
  clock,
  log,
}: {
  config: Pick<Config, 'databaseUrl' | 'dataDir'>
  clock: Deps['clock']
  log: Pick<Deps['log'], 'info' | 'warn'>
}): Promise<void> {
  const { pool, close } = await openBesideServer(config, log)
  try {
    await noteBackup(pool, { madeAt: clock().toISOString(), objects: 0, faults: 0, by: 'other' })
  } finally {
    await close()
  }
}
