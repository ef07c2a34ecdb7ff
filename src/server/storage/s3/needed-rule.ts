import type { CORSRule } from '@aws-sdk/client-s3'

/** The methods by which pages of ours use a bucket. */
export const neededMethods = ['PUT', 'GET', 'HEAD']

/**
 * The headers that a browser sends with each part. The type is part of the signature. By the MD5
 * the bucket checks the body.
 */
export const sentHeaders = ['content-type', 'content-md5']

/** The header of an answer that pages read. */
export const readHeader = 'etag'

/**
 * Returns the CORS rule that a bucket needs for pages of `origin`, in the form that S3's
 * PutBucketCors takes.
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
