import type { StorageName } from '../../shared/rules/files/storage-name.ts'
import type { Config } from '../config/config.ts'
import type { Clock } from '../deps.ts'
import { StartupError } from '../errors.ts'
import { openSealedFiles } from '../storage/disk/sealed-files.ts'
import type { SealedObjects } from '../storage/storage.ts'

/**
 * Opens a configured store to read or write its files, even while a server is using it.
 * @throws {StartupError} if the store isn't configured, or its bucket can't be used.
 */
export async function openObjects(
  name: StorageName,
  { dataDir, s3 }: Pick<Config, 'dataDir' | 's3'>,
  clock: Clock,
): Promise<SealedObjects> {
  if (name === 'disk') return openSealedFiles(dataDir)
  if (s3 === null) {
    throw new StartupError('Some files are in a bucket. Set S3_BUCKET and its other settings.')
  }
  const { openBucket } = await import('../storage/s3/s3.ts')
  return openBucket({ settings: s3, clock })
}
