import { storageNames } from '../../shared/rules/files/storage-name.ts'
import type { Config } from '../config/config.ts'
import type { Deps } from '../deps.ts'
import { StartupError } from '../errors.ts'
import { clientAddress } from '../http/client-address.ts'
import { readInstallation } from '../settings/queries.ts'
import { type OpenStores, openStores, type StoresOptions } from '../storage/open-stores.ts'
import type { Storage } from '../storage/storage.ts'
import { namesObjectsIn, touchUpload } from '../uploads/queries.ts'

interface StorageParts
  extends Pick<Deps, 'clock' | 'log' | 'db' | 'metrics' | 'shedLoad'>,
    Pick<StoresOptions, 'secret' | 'space'> {
  config: Config
}

/**
 * Opens the stores that the configuration names, and gives them what they need from other parts of
 * the server: a function that records in the database that bytes of an upload arrive, one that
 * returns the address of a request's client, and the counters of transfers and failures.
 * @throws {StartupError} as `openStores` does.
 */
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
 * Checks at the start that this database and each store belong together. Marks an empty store that
 * belongs to no database as this database's. Files in a store that the settings do not name cause
 * only a warning.
 * @throws {StartupError} when a store and the database belong to different installations, or when
 * only one of the two has files.
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
    if (await namesObjectsIn(db, name)) {
      log.warn(
        `Some files lie in storage (${name}), which the settings do not name. Until they do, those ` +
          'files are answered with 503 and are not purged.',
      )
    }
  }
}

/**
 * Checks one store. The nightly comparison of storage with the database removes every object that
 * the database does not name. So with a new or foreign database it would remove every file. With a
 * foreign store every file would be missing.
 */
async function bindStorage(
  { clock, db }: Pick<Deps, 'clock' | 'db'>,
  storage: Storage,
): Promise<void> {
  const ours = await readInstallation(db, clock())
  const theirs = await storage.installation()
  if (theirs === ours) return
  if (theirs !== null || !(await isEmpty(storage))) {
    throw new StartupError(
      `The files in storage (${storage.name}) belong to another database than this one. Bring back ` +
        'the database they belong to, or start with an empty storage.',
    )
  }
  if (await namesObjectsIn(db, storage.name)) {
    throw new StartupError(
      `The database names files that this storage (${storage.name}) does not hold. Bring back the ` +
        'storage they are in, or start with an empty database.',
    )
  }
  await storage.claim(ours)
}

async function isEmpty(storage: Storage): Promise<boolean> {
  for await (const _ of storage.list()) return false
  return true
}
