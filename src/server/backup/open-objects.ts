import type { StorageName } from '../../shared/rules/files/storage-name.ts'
import type { Config } from '../config/config.ts'
import type { Clock } from '../deps.ts'
import { StartupError } from '../errors.ts'
import { openSealedFiles } from '../storage/disk/sealed-files.ts'
import type { SealedObjects } from '../storage/sealed-objects.ts'

type StoreSettings = Pick<Config, 'appUrl' | 'dataDir' | 's3'>

/**
 * Opens the stored objects of one of the stores that the settings name. A server may use the store
 * meanwhile.
 * @throws {StartupError} when the settings do not name the store, or the bucket cannot be used.
 */
export async function openObjects(
  name: StorageName,
  { appUrl, dataDir, s3 }: StoreSettings,
  clock: Clock,
): Promise<SealedObjects> {
  if (name === 'disk') return openSealedFiles(dataDir)
  if (s3 === null) {
    throw new StartupError(
      'Some files lie in a bucket. Name it by the settings that begin with S3_.',
    )
  }
  const { openBucket } = await import('../storage/s3/open-bucket.ts')
  return openBucket({ settings: s3, appUrl, clock, log: { warn() {} } })
}

/**
 * Marks the target of a copy as belonging to an installation. A repeated copy finds its own mark,
 * and goes on.
 * @throws {StartupError} when the target belongs to another installation, or has files but no mark.
 */
export async function claimFor(installation: string, objects: SealedObjects): Promise<void> {
  const owner = await objects.installation()
  if (owner === installation) return
  if (owner !== null || !(await isEmpty(objects))) {
    throw new StartupError(
      `The storage to copy to (${objects.name}) has files of another installation. Give an empty one: nothing was copied.`,
    )
  }
  await objects.claim(installation)
}

async function isEmpty(objects: SealedObjects): Promise<boolean> {
  for await (const _ of objects.list()) return false
  return true
}
