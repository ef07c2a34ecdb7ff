import type { CORSRule } from '@aws-sdk/client-s3'

/**
 * Returns the CORS rule that lets pages of `origin` use a bucket, in the format of S3's
 * PutBucketCors. Browsers send both headers with each PUT: the signature covers the content type,
 * and the bucket verifies the body against the MD5. Our pages read the ETag.
 */
export function requiredCorsRule(origin: string): CORSRule {
  return {
    AllowedOrigins: [origin],
    AllowedMethods: ['PUT', 'GET', 'HEAD'],
    AllowedHeaders: ['content-type', 'content-md5'],
    ExposeHeaders: ['etag'],
    MaxAgeSeconds: 3600,
  }
}
