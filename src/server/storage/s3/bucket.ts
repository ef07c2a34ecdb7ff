import { GetBucketVersioningCommand, HeadBucketCommand } from '@aws-sdk/client-s3'
import { type Clock, differenceFrom } from '../../clock.ts'
import type { SendCommand } from './client.ts'

/** True if the bucket keeps the bytes of deleted objects as old versions. */
export async function hasVersioning(send: SendCommand, bucket: string): Promise<boolean> {
  try {
    const { Status } = await send(new GetBucketVersioningCommand({ Bucket: bucket }))
    return Status === 'Enabled'
  } catch {
    // Buckets that don't support this request usually have no versioning, and uploads and downloads
    // work regardless.
    return false
  }
}

/**
 * Compares this server's clock with the `Date` header of a response, which has whole seconds.
 * Returns the minimum difference in milliseconds, or 0 if the header is missing.
 */
export async function clockDifferenceMs(
  send: SendCommand,
  bucket: string,
  clock: Clock,
): Promise<number> {
  let differenceMs = 0
  const command = new HeadBucketCommand({ Bucket: bucket })
  command.middlewareStack.add(
    (next) => async (args) => {
      const sentAt = clock()
      const response = await next(args)
      const { headers } = response.response as { headers: Record<string, string> }
      const bucketDate = new Date(headers.date ?? '')
      const isValidDate = !Number.isNaN(bucketDate.getTime())
      differenceMs = isValidDate ? differenceFrom(bucketDate, sentAt, clock(), 1000) : 0
      return response
    },
    { step: 'deserialize', priority: 'high' },
  )
  await send(command)
  return differenceMs
}
