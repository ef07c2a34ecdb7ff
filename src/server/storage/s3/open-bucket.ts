import type { Logger } from 'pino'
import { StartupError } from '../../errors.ts'
import { openS3Storage, type S3Storage, type S3StorageOptions } from './s3.ts'

export interface BucketOptions extends S3StorageOptions {
  /** The public origin. Its pages send bytes to the bucket. */
  appUrl: URL
  log: Pick<Logger, 'warn'>
}

/**
 * Opens a bucket as storage and checks that it can be used. A set-up that hinders browsers causes
 * only a warning, since the server cannot know what stands between browsers and the bucket.
 * @throws {StartupError} when the bucket does not answer or cannot be written to.
 */
export async function openBucket({ appUrl, log, ...options }: BucketOptions): Promise<S3Storage> {
  const { bucket, endpoint, region } = options.settings
  const storage = openS3Storage(options)
  try {
    await storage.check()
  } catch (error) {
    await storage.close()
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
    const reason = cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause)
    throw new StartupError(
      `The bucket "${bucket}" at ${endpoint?.href ?? `AWS in ${region}`} cannot be used (${reason}). ` +
        'Look at the settings that begin with S3_, and at what the key may do.',
      { cause },
    )
  }
  for (const fault of await storage.setupFaults(appUrl.origin)) log.warn(fault)
  return storage
}
