import type { StorageName } from '../../shared/rules/storage-name.ts'
import type { Config } from '../config.ts'
import type { Clock } from '../deps.ts'
import { StartFault } from '../start-fault.ts'
import { openSealedFiles } from '../storage/disk/sealed-files.ts'
import type { SealedObjects } from '../storage/sealed-objects.ts'

type StoreSettings = Pick<Config, 'appUrl' | 'dataDir' | 's3'>

/**
 * Opens the objects of a store of the settings, also while a server uses it.
 * @throws {StartFault} when the settings do not name the store, or the bucket cannot be used.
 */
export async function openObjects(
  name: StorageName,
  { appUrl, dataDir, s3 }: StoreSettings,
  clock: Clock,
): Promise<SealedObjects> {
  if (name === 'disk') return openSealedFiles(dataDir)
  if (s3 === null) {
    throw new StartFault('Some files lie in a bucket. Name it by the settings that begin with S3_.')
  }
  const { openBucket } = await import('../storage/s3/open-bucket.ts')
  return openBucket({ settings: s3, appUrl, clock, log: { warn() {} } })
}

/**
 * Writes into the target of a copy to which installation it belongs. A copy that is repeated finds
 * that it has written this before.
 * @throws {StartFault} when the target belongs to another installation, or has files of an unknown
 * one.
 */
export async function claimFor(installation: string, objects: SealedObjects): Promise<void> {
  const owner = await objects.installation()
  if (owner === installation) return
  if (owner !== null || !(await isEmpty(objects))) {
    throw new StartFault(
      `The storage to copy to (${objects.name}) has files of another installation. Give an empty one: nothing was copied.`,
    )
  }
  await objects.claim(installation)
}

async function isEmpty(objects: SealedObjects): Promise<boolean> {
  for await (const _ of objects.list()) return false
  return true
}
