import { storageNames } from '../../shared/rules/files/storage-name.ts'
import type { Config } from '../config/config.ts'
import type { Deps } from '../deps.ts'
import { StartupError } from '../errors.ts'
import { clientAddress } from '../http/client-address.ts'
import { readInstallation } from '../settings/queries.ts'
import { type OpenStores, openStores, type StoresOptions } from '../storage/open-stores.ts'
import type { Storage } from '../storage/storage.ts'
import { hasObjectsIn, touchUpload } from '../uploads/queries.ts'

interface StorageParts
  extends Pick<Deps, 'clock' | 'log' | 'db' | 'metrics' | 'shedLoad'>,
    Pick<StoresOptions, 'secret' | 'space'> {
  config: Config
}

/** @throws {StartupError} for the same reasons as `openStores`. */
export function openStorage({
  config,
  clock,
  db,
  metrics,
  ...parts
}: StorageParts): Promise<OpenStores> {
  return openStores({
    ...parts,
    clock,
    settings: config,
    dataDir: config.dataDir,
    appUrl: config.appUrl,
    nginxLocation: config.nginxLocation,
    uploads: { touch: (key) => touchUpload(db, key, clock()) },
    clientAddress: (request) => clientAddress(request, config.trustedProxies),
    meter: metrics.transfers,
    onError: (store, operation) => metrics.storageErrors.inc({ store, operation }),
  })
}

/**
 * Checks that the database and each store belong together. Claims an empty store for this database.
 * Warns about files in a store that isn't configured.
 * @throws {StartupError} if they belong to different installations, or only one has files.
 */
export async function bindStores({
  clock,
  db,
  log,
  stores,
}: Pick<Deps, 'clock' | 'db' | 'log' | 'stores'>): Promise<void> {
  for (const storage of stores.all) await bindStorage({ clock, db }, storage)
  for (const name of storageNames) {
    if (stores.all.some((storage) => storage.name === name)) continue
    if (await hasObjectsIn(db, name)) {
      log.warn(
        `Some files are in storage (${name}), which is not configured. Until it is, they are ` +
          'answered with 503 and not purged.',
      )
    }
  }
}

/**
 * Checks one store. Without this check, a server could start with another database's store, and its
 * nightly comparison would delete every object there.
 */
async function bindStorage(
  { clock, db }: Pick<Deps, 'clock' | 'db'>,
  storage: Storage,
): Promise<void> {
  const databaseInstallationId = await readInstallation(db, clock())
  const storeInstallationId = await storage.installation()
  if (storeInstallationId === databaseInstallationId) return
  if (storeInstallationId !== null || !(await isEmpty(storage))) {
    throw new StartupError(
      `The files in storage (${storage.name}) belong to another database. Restore that database, ` +
        'or start with an empty storage.',
    )
  }
  if (await hasObjectsIn(db, storage.name)) {
    throw new StartupError(
      `The files of the database are not in this storage (${storage.name}). Restore that storage, ` +
        'or start with an empty database.',
    )
  }
  await storage.claim(databaseInstallationId)
}

async function isEmpty(storage: Storage): Promise<boolean> {
  for await (const _ of storage.list()) return false
  return true
}
