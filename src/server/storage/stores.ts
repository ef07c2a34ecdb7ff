import type { StorageName } from '../../shared/rules/files/storage-name.ts'
import type { S3Settings } from '../config/s3-settings.ts'
import { AppError } from '../errors.ts'
import type { Storage } from './storage.ts'

export interface StorageSettings {
  /** Null if new files are stored on the disk. */
  s3: S3Settings | null
}

/** Returns the name of the configured store for new files. */
export function storeOfNewFiles({ s3 }: StorageSettings): StorageName {
  return s3 === null ? 'disk' : 's3'
}

/** This server's stores. Each upload and each file records which store has its bytes. */
export interface Stores {
  /** The store for new uploads. */
  readonly current: Storage
  /** Every store, `current` first. */
  readonly all: readonly Storage[]
  /**
   * Returns the store with this name.
   * @throws {AppError} UNAVAILABLE if this server isn't configured to use that store.
   */
  get(name: StorageName): Storage
  /**
   * Returns the same stores, but their presigned URLs to this server begin with the given origin.
   */
  withOrigin(origin: string): Stores
}

/** Combines this server's stores. Their names must be unique. */
export function createStores(current: Storage, ...otherStores: Storage[]): Stores {
  const all = [current, ...otherStores]
  return {
    current,
    all,
    get(name) {
      const found = all.find((storage) => storage.name === name)
      if (!found)
        throw new AppError('UNAVAILABLE', { cause: new Error(`the store ${name} is not set up`) })
      return found
    },
    withOrigin: (origin) => {
      const [first = current, ...rest] = all.map(
        (storage) => storage.withOrigin?.(origin) ?? storage,
      )
      return createStores(first, ...rest)
    },
  }
}
