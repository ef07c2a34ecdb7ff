import { openObjects } from '../src/server/backup/open-objects.ts'
import { bindStores } from '../src/server/boot/open-storage.ts'
import type { Config } from '../src/server/config/config.ts'
import { openDatabaseInUse } from '../src/server/db/open.ts'
import { requireOwnDataDir } from '../src/server/db/postgres-folder.ts'
import { createLogger } from '../src/server/logging/log.ts'
import { AdminSettings } from '../src/server/settings/admin-settings.ts'
import { DiskSpace } from '../src/server/space/disk-space.ts'
import { openStores } from '../src/server/storage/open-stores.ts'
import { storeOfNewFiles } from '../src/server/storage/stores.ts'

/**
 * Opens the database and storage for a command, even while the server uses them. The caller must
 * close them.
 * @throws {StartupError} if they can't be used, or belong to another version.
 */
export async function openInstallation(config: Config) {
  await requireOwnDataDir(config.dataDir)
  // The server has already logged warnings about the settings.
  const log = await createLogger({ level: 'error', format: 'readable' })
  const clock = () => new Date()
  const cleanup = new AsyncDisposableStack()
  try {
    const { db, close } = await openDatabaseInUse(config, log)
    cleanup.defer(close)
    const space = await DiskSpace.open({
      folder: config.dataDir,
      minFree: config.minFreeSpace,
      storesUploads: storeOfNewFiles(config) === 'disk',
      // The server manages it.
      hasReserve: false,
      log,
    })
    const { stores, close: closeStores } = await openStores({
      settings: config,
      dataDir: config.dataDir,
      isInUse: true,
      appUrl: config.appUrl,
      // No presigned URL leaves this process.
      secret: 'unused',
      clock,
      log,
      space,
      uploads: { touch: async () => true },
      clientAddress: () => '',
      shedLoad() {},
    })
    cleanup.defer(closeStores)
    const objects = await openObjects(stores.current.name, config, clock)
    cleanup.defer(() => objects.close())
    await bindStores({ clock, db, log, stores })
    const settings = new AdminSettings({
      db,
      clock,
      supportEmail: config.supportEmail,
      onCap: ({ leastFree }) => space.setAdminMinFree(leastFree),
    })
    const deps = { clock, config, db, log, objects, settings, space, stores }
    return { deps, close: () => cleanup.disposeAsync() }
  } catch (error) {
    await cleanup.disposeAsync()
    throw error
  }
}
