import { ListMultipartUploadsCommand } from '@aws-sdk/client-s3'
import { inject } from 'vitest'
import { createBucket, type TestBucket } from './bucket.ts'
import { type S3Server, waitForGateway } from './radosgw.ts'
import { describeRequiring } from './test-requirements.ts'

export type { TestBucket }

declare module 'vitest' {
  interface ProvidedContext {
    /** This test run's S3 server, or null if none is installed. */
    s3Server: S3Server | null
  }
}

/** Declares tests that need a real S3 server. They are skipped if none is installed. */
export function describeOnS3(name: string, tests: () => void): void {
  describeRequiring('s3Server', inject('s3Server') !== null, name, tests)
}

/** Creates a bucket for one test file, once the server is up. */
export async function makeBucket(): Promise<TestBucket> {
  const server = inject('s3Server')
  if (!server) throw new Error('There is no S3 server: tests that need one stand in describeOnS3.')
  await waitForGateway(server.endpoint)
  return createBucket(server)
}

/** Returns how many multipart uploads are open for an object. */
export async function countOpenUploads(
  { client, settings: { bucket: Bucket } }: TestBucket,
  key: string,
): Promise<number> {
  const listCommand = new ListMultipartUploadsCommand({ Bucket, Prefix: `files/${key}` })
  return (await client.send(listCommand)).Uploads?.length ?? 0
}
