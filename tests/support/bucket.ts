import { CreateBucketCommand, PutBucketCorsCommand, S3Client } from '@aws-sdk/client-s3'
import { nanoid } from 'nanoid'
import type { S3Settings } from '../../src/server/s3-settings.ts'
import { neededRule } from '../../src/server/storage/s3/needed-rule.ts'
import type { S3Server } from './radosgw.ts'

/** A new empty bucket for one test, and a client that may do anything to it. */
export interface TestBucket {
  settings: S3Settings
  /** Settings in the form of environment variables. */
  env: Record<string, string>
  client: S3Client
  /** Allows pages of an origin to use the bucket (CORS). */
  allow(origin: string): Promise<void>
}

export async function createBucket(server: S3Server): Promise<TestBucket> {
  const { endpoint, region, accessKeyId, secretAccessKey } = server
  const credentials = { accessKeyId, secretAccessKey }
  const bucket = `test-${nanoid()
    .toLowerCase()
    .replaceAll(/[^a-z\d]/g, '0')}`
  const client = new S3Client({ endpoint, region, credentials, forcePathStyle: true })
  await client.send(new CreateBucketCommand({ Bucket: bucket }))
  return {
    settings: {
      bucket,
      region,
      endpoint: new URL(endpoint),
      publicEndpoint: null,
      credentials,
      forcePathStyle: true,
    },
    env: {
      S3_BUCKET: bucket,
      S3_REGION: region,
      S3_ENDPOINT: endpoint,
      S3_ACCESS_KEY_ID: accessKeyId,
      S3_SECRET_ACCESS_KEY: secretAccessKey,
    },
    client,
    async allow(origin) {
      const CORSConfiguration = { CORSRules: [neededRule(origin)] }
      await client.send(new PutBucketCorsCommand({ Bucket: bucket, CORSConfiguration }))
    },
  }
}
