import { HeadBucketCommand, S3Client } from '@aws-sdk/client-s3'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import type { S3Settings } from '../../config/s3-settings.ts'
import { type Asks, asksOf, type S3Waits } from './ask-in-time.ts'

const connectionMs = 5000
/**
 * How long a request may take that carries bytes of a file to the bucket, one part at most. All
 * other requests are sent by `asks`, with times of their own.
 */
const sendingMs = 60_000

/**
 * One client makes the server's own requests, the other signs URLs. A signature covers the host, so
 * URLs for browsers must be signed for the address that browsers use.
 */
export interface S3Clients {
  own: S3Client
  signing: S3Client
  /** They send commands by `own`, and give up when the bucket does not answer in time. */
  asks: Asks
}

/**
 * Makes both clients from the settings. They connect only when they are used. Whoever makes them
 * destroys them.
 */
export function createS3Clients(settings: S3Settings, waits: S3Waits): S3Clients {
  const { region, endpoint, publicEndpoint, forcePathStyle, credentials } = settings
  const common = {
    region,
    forcePathStyle,
    ...(credentials && { credentials }),
    // With the default value, a presigned URL would demand the checksum of an empty body.
    requestChecksumCalculation: 'WHEN_REQUIRED' as const,
    responseChecksumValidation: 'WHEN_REQUIRED' as const,
    requestHandler: {
      connectionTimeout: connectionMs,
      requestTimeout: sendingMs,
      throwOnRequestTimeout: true,
    },
  }
  const own = new S3Client({ ...common, ...(endpoint && { endpoint: endpoint.href }) })
  const seen = publicEndpoint ?? endpoint
  const signing = new S3Client({ ...common, ...(seen && { endpoint: seen.href }) })
  return { own, signing, asks: asksOf(own, waits) }
}

/**
 * Returns the origin that every presigned URL begins with, such as
 * https://bucket.s3.eu-central-1.amazonaws.com.
 */
export async function originOf(signing: S3Client, bucket: string): Promise<string> {
  const url = await getSignedUrl(signing, new HeadBucketCommand({ Bucket: bucket }))
  return new URL(url).origin
}
