import type { CORSRule } from '@aws-sdk/client-s3'

/** The methods that our pages use on the bucket. */
export const requiredMethods = ['PUT', 'GET', 'HEAD']

/**
 * The headers that browsers send with each PUT. The content type is covered by the signature. The
 * bucket verifies the body against the MD5.
 */
export const requestHeaders = ['content-type', 'content-md5']

/** The response header that our pages read. */
export const responseHeader = 'etag'

/**
 * Returns the CORS rule that lets pages of `origin` use a bucket, in the format of S3's
 * PutBucketCors.
 */
export function requiredCorsRule(origin: string): CORSRule {
  return {
    AllowedOrigins: [origin],
    AllowedMethods: requiredMethods,
    AllowedHeaders: requestHeaders,
    ExposeHeaders: [responseHeader],
    MaxAgeSeconds: 3600,
  }
}
