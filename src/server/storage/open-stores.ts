import type { StorageName } from '../../shared/rules/files/storage-name.ts'
import { countErrors, type StorageOperation } from './count-errors.ts'
import { type DiskStorage, type DiskStorageOptions, openDiskStorage } from './disk/disk.ts'
import type { BucketOptions, S3Storage } from './s3/s3.ts'
import type { Storage } from './storage.ts'
import { createStores, type StorageSettings, type Stores, storeOfNewFiles } from './stores.ts'

export interface StoresOptions extends DiskStorageOptions {
  settings: StorageSettings
  /** Is called for each operation on a store that fails. */
  onError?(store: StorageName, operation: StorageOperation): void
}

export interface OpenStores {
  stores: Stores
  disk: DiskStorage
  /**
   * Answers the requests whose path begins with /storage/, which are for files on the disk. A
   * bucket answers its own requests.
   */
  handle: DiskStorage['handle']
  /** The origins, other than that of this server, that pages send bytes to or get bytes from. */
  origins: string[]
  /** Ends running transfers, and closes every store. */
  close(): Promise<void>
}

/**
 * Opens the disk store, and a bucket if the settings name one. If new files go to the bucket,
 * earlier files stay on the disk: they are still served, and removed in time.
 * @throws {StartupError} when the bucket cannot be used, and as `openDiskStorage` does.
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
    bucket = s3 && (await openBucketOf({ ...options, settings: s3 }))
  } catch (error) {
    await disk.close()
    throw error
  }
  const opened: Storage[] = bucket ? [disk, bucket] : [disk]
  const all = onError
    ? opened.map((store) => countErrors(store, (operation) => onError(store.name, operation)))
    : opened
  const current = all.find(({ name }) => name === storeOfNewFiles(settings)) as Storage
  return {
    stores: createStores(current, ...all.filter((store) => store !== current)),
    disk,
    handle: disk.handle,
    origins: bucket ? [await bucket.publicOrigin()] : [],
    async close() {
      await bucket?.close()
      await disk.close()
    },
  }
}

/**
 * Loads the AWS SDK only where there is a bucket, because the SDK costs time and memory at the
 * start.
 */
async function openBucketOf(options: BucketOptions): Promise<S3Storage> {
  const { openBucket } = await import('./s3/s3.ts')
  return openBucket(options)
}
