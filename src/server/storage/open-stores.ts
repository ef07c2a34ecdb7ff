import type { StorageName } from '../../shared/rules/files/storage-name.ts'
import { countErrors, type StorageOperation } from './count-errors.ts'
import { type DiskStorage, type DiskStorageOptions, openDiskStorage } from './disk/disk.ts'
import type { S3Storage, S3StorageOptions } from './s3/s3.ts'
import type { Storage } from './storage.ts'
import { createStores, type StorageSettings, type Stores, storeOfNewFiles } from './stores.ts'

export interface StoresOptions extends DiskStorageOptions {
  settings: StorageSettings
  /** Called whenever a store operation fails. */
  onError?(store: StorageName, operation: StorageOperation): void
}

export interface OpenStores {
  stores: Stores
  disk: DiskStorage
  /** Other origins that pages upload to or download from. */
  origins: string[]
  /** Ends running transfers and closes all stores. */
  close(): Promise<void>
}

/**
 * Opens the disk store, and the bucket if one is configured. Even with a bucket, files already on
 * the disk stay there and are served and removed as usual.
 * @throws {StartupError} if the bucket is unusable; also any error from `openDiskStorage`.
 */
export async function openStores({
  settings,
  onError,
  ...options
}: StoresOptions): Promise<OpenStores> {
  const { s3 } = settings
  const disk = await openDiskStorage(options)
  let bucket: S3Storage | null
  try {
    bucket = s3 && (await importAndOpenBucket({ settings: s3, clock: options.clock }))
  } catch (error) {
    await disk.close()
    throw error
  }
  const openedStores: Storage[] = bucket ? [disk, bucket] : [disk]
  const allStores = onError
    ? openedStores.map((store) => countErrors(store, (operation) => onError(store.name, operation)))
    : openedStores
  const currentStore = allStores.find(({ name }) => name === storeOfNewFiles(settings)) as Storage
  return {
    stores: createStores(currentStore, ...allStores.filter((store) => store !== currentStore)),
    disk,
    origins: bucket ? [await bucket.publicOrigin()] : [],
    async close() {
      await bucket?.close()
      await disk.close()
    },
  }
}

/**
 * Loads the AWS SDK only if a bucket is configured, because it slows down startup and uses memory.
 */
async function importAndOpenBucket(options: S3StorageOptions): Promise<S3Storage> {
  const { openBucket } = await import('./s3/s3.ts')
  return openBucket(options)
}
