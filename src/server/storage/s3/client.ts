import { HeadBucketCommand, S3Client } from '@aws-sdk/client-s3'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import type { S3Settings } from '../../s3-settings.ts'

const connectionMs = 5000
/**
 * How long the server waits for an answer of the bucket. None of its own requests carries more than
 * one part of a file, and most carry no bytes of files at all.
 */
const requestMs = 60_000

/**
 * One client makes the server's own requests, the other signs URLs. A signature covers the host, so
 * URLs for browsers must be signed for the address that browsers use.
 */
export interface S3Clients {
  own: S3Client
  signing: S3Client
}

/**
 * Makes both clients from the settings. They connect only when they are used. Whoever makes them
 * destroys them.
 */
export function createS3Clients(settings: S3Settings): S3Clients {
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
      requestTimeout: requestMs,
      throwOnRequestTimeout: true,
    },
  }
  const own = new S3Client({ ...common, ...(endpoint && { endpoint: endpoint.href }) })
  const seen = publicEndpoint ?? endpoint
  const signing = new S3Client({ ...common, ...(seen && { endpoint: seen.href }) })
  return { own, signing }
}

/**
 * Returns the origin that every presigned URL begins with, such as
 * https://bucket.s3.eu-central-1.amazonaws.com.
 */
export async function originOf(signing: S3Client, bucket: string): Promise<string> {
  const url = await getSignedUrl(signing, new HeadBucketCommand({ Bucket: bucket }))
  return new URL(url).origin
}
