import { CreateBucketCommand, PutBucketCorsCommand, S3Client } from '@aws-sdk/client-s3'
import { nanoid } from 'nanoid'
import { describe, inject } from 'vitest'
import type { S3Settings } from '../../src/server/s3-settings.ts'
import { neededRule } from '../../src/server/storage/s3-bucket.ts'
import type { S3Server } from './radosgw.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The S3 server of this test run; null where its programs are not installed. */
    s3Server: S3Server | null
  }
}

/** Tests that need a real S3 server. Where there is none they are skipped, and the run says so. */
export const describeOnS3 = (name: string, tests: () => void): void => {
  describe.skipIf(inject('s3Server') === null)(name, tests)
}

/** A bucket of a test's own, with nothing in it, and a client that may do anything to it. */
export interface TestBucket {
  settings: S3Settings
  /** Settings as the environment would hold them. */
  env: Record<string, string>
  client: S3Client
  /** Lets pages of an origin in. */
  allow(origin: string): Promise<void>
}

export const makeBucket = async (): Promise<TestBucket> => {
  const server = inject('s3Server')
  if (!server) throw new Error('There is no S3 server: tests that need one stand in describeOnS3.')
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
