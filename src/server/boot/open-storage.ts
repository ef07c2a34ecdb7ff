import type { Config } from '../config/config.ts'
import type { Deps } from '../deps.ts'
import { clientAddress } from '../http/client-address.ts'
import { type OpenStores, openStores, type StoresOptions } from '../storage/open-stores.ts'
import { touchUpload } from '../uploads/queries.ts'

interface StorageParts
  extends Pick<Deps, 'clock' | 'log' | 'db' | 'metrics' | 'requireRoom'>,
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
