import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  DeleteBucketCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  PutBucketCorsCommand,
  PutBucketVersioningCommand,
} from '@aws-sdk/client-s3'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { checkClock } from '../src/server/admin/checks/clock.ts'
import { checkCors } from '../src/server/admin/checks/cors.ts'
import { checkStorage } from '../src/server/admin/checks/storage.ts'
import { openS3Storage } from '../src/server/storage/s3/s3.ts'
import { createStores } from '../src/server/storage/stores.ts'
import { getCheckLine } from './support/check-lines.ts'
import { childEnvironment, findProgram } from './support/child-program.ts'
import { findFreePort } from './support/free-port.ts'
import { makePerson, type Person } from './support/make.ts'
import { freshDatabase } from './support/postgres.ts'
import { describeOnS3, makeBucket, type TestBucket } from './support/s3.ts'
import { startTestApp, type TestApp } from './support/test-app.ts'

const second = 1000

describeOnS3('the checks of a server with a bucket', () => {
  let bucket: TestBucket
  let app: TestApp
  let admin: Person
  beforeAll(async () => {
    bucket = await makeBucket()
    app = await startTestApp({ env: bucket.env })
    admin = await makePerson(app, { role: 'admin' })
  })
  afterAll(() => app.close())

  const setCorsRules = (CORSRules: object[]) => {
    const CORSConfiguration = { CORSRules: CORSRules as never }
    const { bucket: Bucket } = bucket.settings
    return bucket.client.send(new PutBucketCorsCommand({ Bucket, CORSConfiguration }))
  }

  describe('for CORS', () => {
    it('name the missing rule, and pass with it', async () => {
      const checkBefore = await getCheckLine(admin, 'CORS')
      expect(checkBefore).toMatchObject({
        status: 'failing',
        message: expect.stringContaining(`from ${app.url} to the bucket`),
        cure: expect.stringContaining(`put-bucket-cors --bucket ${bucket.settings.bucket}`),
      })
      const ruleText = /\{"CORSRules".*\]\}/.exec(checkBefore.cure)?.[0] ?? ''
      await setCorsRules(JSON.parse(ruleText).CORSRules)
      const checkAfter = await getCheckLine(admin, 'CORS')
      expect(checkAfter).toMatchObject({ status: 'ok', message: expect.stringContaining(app.url) })
    })

    it.each([
      ['another origin', { AllowedOrigins: ['https://files.example.org'] }],
      ['no PUT', { AllowedMethods: ['GET', 'HEAD'] }],
      ['no MD5', { AllowedHeaders: ['content-type'] }],
      ['no exposed ETag', { ExposeHeaders: [] }],
    ])('fail with %s', async (_, ruleChange) => {
      const rule = {
        AllowedOrigins: [app.url],
        AllowedMethods: ['PUT', 'GET', 'HEAD'],
        AllowedHeaders: ['*'],
        ExposeHeaders: ['etag'],
      }
      await setCorsRules([{ ...rule, ...ruleChange }])
      expect((await getCheckLine(admin, 'CORS')).status).toBe('failing')
    })

    it("warn if the server can't reach the bucket through the browsers' endpoint", async () => {
      const settings = { ...bucket.settings, publicEndpoint: new URL('http://127.0.0.1:1') }
      const store = openS3Storage({ settings, clock: app.clock })
      const config = { ...app.deps.config, s3: settings }
      const corsFindings = await checkCors({ ...app.deps, config, stores: createStores(store) })
      await store.close()
      expect(corsFindings).toEqual([
        {
          status: 'warning',
          message: expect.stringContaining('http://127.0.0.1:1'),
          cure: expect.stringContaining('S3_PUBLIC_ENDPOINT'),
        },
      ])
    })
  })

  it('leave nothing behind in the bucket', async () => {
    const { bucket: Bucket } = bucket.settings
    await getCheckLine(admin, 'CORS')
    const { Contents = [] } = await bucket.client.send(new ListObjectsV2Command({ Bucket }))
    expect(Contents).toEqual([])
    const { Uploads = [] } = await bucket.client.send(new ListMultipartUploadsCommand({ Bucket }))
    expect(Uploads).toEqual([])
  })

  it('cover bucket and disk, which may hold older files', async () => {
    expect(await getCheckLine(admin, 'Storage')).toMatchObject({
      status: 'ok',
      message: expect.stringContaining(bucket.settings.bucket),
    })
    expect(await getCheckLine(admin, 'Storage: files from before S3_BUCKET')).toMatchObject({
      status: 'ok',
    })
  })

  it.each([
    [0, 'ok'],
    [40 * second, 'warning'],
    [-40 * second, 'warning'],
    [-180 * second, 'failing'],
  ])("compare the server's clock with the bucket's: %d ms apart", async (differenceMs, status) => {
    const now = app.clock()
    app.clock.set(new Date(Date.now() + differenceMs))
    const clockFindings = await checkClock(app.deps)
    app.clock.set(now)
    expect(clockFindings.find(({ about }) => about === 'bucket')?.status).toBe(status)
  })

  it('report a bucket that is missing, and one that keeps old versions of objects', async () => {
    const otherBucket = await makeBucket()
    const { bucket: Bucket } = otherBucket.settings
    const store = openS3Storage({ settings: otherBucket.settings, clock: app.clock })
    const config = { ...app.deps.config, s3: otherBucket.settings }
    const runStorageCheck = () => checkStorage({ config, stores: createStores(store) })
    const VersioningConfiguration = { Status: 'Enabled' } as const
    await otherBucket.client.send(
      new PutBucketVersioningCommand({ Bucket, VersioningConfiguration }),
    )
    expect(await runStorageCheck()).toMatchObject([
      { status: 'warning', cure: expect.stringContaining('versioning') },
    ])
    await store.close()

    const deletedBucket = await makeBucket()
    const missingStore = openS3Storage({ settings: deletedBucket.settings, clock: app.clock })
    await deletedBucket.client.send(
      new DeleteBucketCommand({ Bucket: deletedBucket.settings.bucket }),
    )
    expect(
      await checkStorage({
        config: { ...config, s3: deletedBucket.settings },
        stores: createStores(missingStore),
      }),
    ).toMatchObject([{ status: 'failing', message: expect.stringContaining('NoSuchBucket') }])
    await missingStore.close()
  })
})

describeOnS3('a start', () => {
  it('logs what is wrong with the bucket, and what to do', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'mayfly-s3-start-'))
    const { url: DATABASE_URL } = await freshDatabase()
    const { env } = await makeBucket()
    const PORT = String(await findFreePort())
    const child = spawn(process.execPath, [findProgram('start')], {
      env: { ...childEnvironment, ...env, DATABASE_URL, DATA_DIR: dataDir, PORT },
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    let log = ''
    for await (const chunk of child.stdout) {
      log += chunk
      if (log.includes('aws s3api put-bucket-cors')) child.kill('SIGTERM')
    }
    expect(log).toContain('Browsers refuse to send files')
    await rm(dataDir, { recursive: true })
  })
})
