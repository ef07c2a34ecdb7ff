import { HeadBucketCommand, S3Client } from '@aws-sdk/client-s3'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import type { S3Settings } from '../../s3-settings.ts'

const connectionMs = 5000
/** No request of the server's own carries a file's bytes: one that takes longer has no one to answer it. */
const requestMs = 60_000

/**
 * A client for the server's own requests, and one that signs URLs: a signature covers the host, so
 * what browsers are given has to be signed for the address that they see.
 */
export interface S3Clients {
  own: S3Client
  signing: S3Client
}

export function createS3Clients(settings: S3Settings): S3Clients {
  const { region, endpoint, publicEndpoint, forcePathStyle, credentials } = settings
  const common = {
    region,
    forcePathStyle,
    ...(credentials && { credentials }),
    // Left at its default, a presigned URL would promise the checksum of an empty body.
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

/** The origin of every presigned URL, such as https://bucket.s3.eu-central-1.amazonaws.com. */
export async function originOf(signing: S3Client, bucket: string): Promise<string> {
  const url = await getSignedUrl(signing, new HeadBucketCommand({ Bucket: bucket }))
  return new URL(url).origin
}
