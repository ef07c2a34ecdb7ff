import { PutBucketCorsCommand, PutBucketVersioningCommand } from '@aws-sdk/client-s3'
import { pino } from 'pino'
import { expect, it } from 'vitest'
import { describeOnS3, makeBucket } from '../../../../tests/support/s3.ts'
import { send } from '../../../../tests/support/send.ts'
import { type LogLine, logCollector } from '../../../../tests/support/test-log.ts'
import { newStorageKey } from '../storage-key.ts'
import { requiredCorsRule } from './cors-rule.ts'
import { openBucket } from './s3.ts'

const origin = 'https://files.example.org'
const rule = requiredCorsRule(origin)
function clock() {
  return new Date()
}

describeOnS3('opening a bucket', () => {
  const open = async (changes = {}) => {
    const bucket = await makeBucket()
    const settings = { ...bucket.settings, ...changes }
    const logged: LogLine[] = []
    const appUrl = new URL(origin)
    const start = async (clockOffsetMs = 0) => {
      const log = pino({}, logCollector(logged))
      const serverClock = () => new Date(clock().getTime() + clockOffsetMs)
      const storage = await openBucket({ settings, appUrl, clock: serverClock, log })
      const messages = logged.splice(0).map(({ msg }) => msg)
      return { storage, messages }
    }
    return { ...bucket, start }
  }

  it('warns about a missing CORS rule until it is added', async () => {
    const { client, settings, start } = await open()
    const firstStart = await start()
    expect(firstStart.messages).toEqual([
      expect.stringMatching(/^Browsers will refuse uploads from https:\/\/files\.example\.org /),
    ])
    expect(firstStart.messages[0]).toContain(JSON.stringify(rule))

    // The warning contains the missing CORS rule. Adding exactly this rule must remove the warning.
    const missingRule = JSON.parse(/\{.*\}/.exec(firstStart.messages[0] ?? '')?.[0] ?? '')
    const CORSConfiguration = { CORSRules: [missingRule] }
    await client.send(new PutBucketCorsCommand({ Bucket: settings.bucket, CORSConfiguration }))
    const secondStart = await start()
    expect(secondStart.messages).toEqual([])

    const expiresAt = new Date(clock().getTime() + 60_000)
    const grant = { key: newStorageKey(), size: 1, mimeType: 'text/plain', expiresAt }
    const preflight = await send(await secondStart.storage.signUpload(grant), {
      method: 'OPTIONS',
      headers: {
        Origin: origin,
        'Access-Control-Request-Method': 'PUT',
        'Access-Control-Request-Headers': 'content-md5,content-type',
      },
    })
    expect(preflight.status).toBe(200)
    expect(preflight.headers['access-control-allow-origin']).toBe(origin)
    await Promise.all([firstStart.storage.close(), secondStart.storage.close()])
  })

  it('warns about a bucket that keeps deleted objects', async () => {
    const { client, settings, allowOrigin, start } = await open()
    await allowOrigin(origin)
    const VersioningConfiguration = { Status: 'Enabled' } as const
    const Bucket = settings.bucket
    await client.send(new PutBucketVersioningCommand({ Bucket, VersioningConfiguration }))
    const { messages, storage } = await start()
    expect(messages).toEqual([expect.stringContaining('keeps old versions')])
    await storage.close()
  })

  it.each([-120_000, 120_000])('warns when the clocks are %d ms apart', async (clockOffsetMs) => {
    const { allowOrigin, start } = await open()
    await allowOrigin(origin)
    const { messages, storage } = await start(clockOffsetMs)
    expect(messages).toEqual([expect.stringMatching(/ are 1[12]\d s apart\. /)])
    await storage.close()
  })

  it.each([
    [{ bucket: 'there-is-none' }, 'NoSuchBucket'],
    [{ credentials: { accessKeyId: 'nobody', secretAccessKey: 'x' } }, 'InvalidAccessKeyId'],
    [{ endpoint: new URL('http://127.0.0.1:1') }, 'ECONNREFUSED'],
  ])('aborts startup with %j', async (changes, reason) => {
    const { start } = await open(changes)
    const startupError = await start().catch((error: unknown) => error)
    expect(startupError).toMatchObject({ name: 'StartupError' })
    expect(String(startupError)).toContain(reason)
    expect(String(startupError)).toContain('settings that begin with S3_')
  })
})
