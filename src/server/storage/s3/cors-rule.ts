import type { CORSRule } from '@aws-sdk/client-s3'

/** The methods that our pages use on the bucket. */
export const neededMethods = ['PUT', 'GET', 'HEAD']

/**
 * The headers that browsers send with each PUT. The content type is covered by the signature. The
 * bucket verifies the body against the MD5.
 */
export const sentHeaders = ['content-type', 'content-md5']

/** The response header that our pages read. */
export const readHeader = 'etag'

/**
 * Returns the CORS rule that lets pages of `origin` use a bucket, in the format of S3's
 * PutBucketCors.
 */
export function neededRule(origin: string): CORSRule {
  return {
    AllowedOrigins: [origin],
    AllowedMethods: neededMethods,
    AllowedHeaders: sentHeaders,
    ExposeHeaders: [readHeader],
    MaxAgeSeconds: 3600,
  }
}
