import type { CORSRule } from '@aws-sdk/client-s3'

/** The methods with which our pages call the bucket. */
export const neededMethods = ['PUT', 'GET', 'HEAD']

/**
 * The headers that a browser sends with each PUT. The signature covers the content type. The
 * bucket compares the body with the MD5.
 */
export const sentHeaders = ['content-type', 'content-md5']

/** The response header that our pages must be able to read. */
export const readHeader = 'etag'

/**
 * Returns the CORS rule with which a bucket accepts requests from pages of `origin`. It has the
 * form that PutBucketCors of S3 takes.
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
