import {
  CreateBucketCommand,
  DeleteBucketPolicyCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  ListPartsCommand,
  type MultipartUpload,
  PutBucketCorsCommand,
  PutBucketPolicyCommand,
  S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3'
import { nanoid } from 'nanoid'
import type { S3Settings } from '../../src/server/config/s3-settings.ts'
import { requiredCorsRule } from '../../src/server/storage/s3/cors-rule.ts'
import type { S3Server } from './radosgw.ts'

/** A new bucket for one test, with a client that has all permissions on it. */
export interface TestBucket {
  settings: S3Settings
  env: Record<string, string>
  client: S3Client
  /** Allows pages from this origin to use the bucket (CORS). */
  allowOrigin(origin: string): Promise<void>
  /** Revokes the access key's permission to write. Returns a function that restores it. */
  denyPuts(): Promise<() => Promise<void>>
}

export async function createBucket(server: S3Server): Promise<TestBucket> {
  const { endpoint, region, accessKeyId, secretAccessKey } = server
  const credentials = { accessKeyId, secretAccessKey }
  const bucketName = `test-${nanoid()
    .toLowerCase()
    .replaceAll(/[^a-z\d]/g, '0')}`
  const client = new S3Client({ endpoint, region, credentials, forcePathStyle: true })
  await client.send(new CreateBucketCommand({ Bucket: bucketName }))
  return {
    settings: {
      bucket: bucketName,
      region,
      endpoint: new URL(endpoint),
      publicEndpoint: null,
      credentials,
      forcePathStyle: true,
    },
    env: {
      S3_BUCKET: bucketName,
      S3_REGION: region,
      S3_ENDPOINT: endpoint,
      S3_ACCESS_KEY_ID: accessKeyId,
      S3_SECRET_ACCESS_KEY: secretAccessKey,
    },
    client,
    async allowOrigin(origin) {
      const CORSConfiguration = { CORSRules: [requiredCorsRule(origin)] }
      await client.send(new PutBucketCorsCommand({ Bucket: bucketName, CORSConfiguration }))
    },
    async denyPuts() {
      const Resource = `arn:aws:s3:::${bucketName}/*`
      const statement = { Effect: 'Deny', Principal: '*', Action: 's3:PutObject', Resource }
      const Policy = JSON.stringify({ Version: '2012-10-17', Statement: [statement] })
      await client.send(new PutBucketPolicyCommand({ Bucket: bucketName, Policy }))
      return async () =>
        void (await client.send(new DeleteBucketPolicyCommand({ Bucket: bucketName })))
    },
  }
}

/**
 * Counts the bytes of a bucket's objects and of the parts stored for open uploads. Ignores the
 * parts of an upload that ends during the count.
 */
export async function countStoredBytes({
  client,
  settings: { bucket: Bucket },
}: TestBucket): Promise<number> {
  const listParts = async ({ Key, UploadId }: MultipartUpload) => {
    try {
      return (await client.send(new ListPartsCommand({ Bucket, Key, UploadId }))).Parts ?? []
    } catch (error) {
      if (error instanceof S3ServiceException && error.$metadata.httpStatusCode === 404) return []
      throw error
    }
  }
  const { Contents = [] } = await client.send(
    new ListObjectsV2Command({ Bucket, Prefix: 'files/' }),
  )
  const { Uploads = [] } = await client.send(new ListMultipartUploadsCommand({ Bucket }))
  const parts = await Promise.all(Uploads.map(listParts))
  return [...Contents, ...parts.flat()].reduce((sum, { Size = 0 }) => sum + Size, 0)
}
