import type { StorageName } from '../../shared/rules/files/storage-name.ts'
import type { S3Settings } from '../config/s3-settings.ts'

/** The settings that choose a store. */
export interface StorageSettings {
  /** null: new files are kept on the disk. */
  s3: S3Settings | null
}

/** Returns the name of the store that the settings choose for new files. */
export function storeOfNewFiles({ s3 }: StorageSettings): StorageName {
  return s3 === null ? 'disk' : 's3'
}
