import { expect, it } from 'vitest'
import { describeOnS3, makeBucket } from '../../../../tests/support/s3.ts'
import { openBucket } from './s3.ts'

describeOnS3('opening a bucket', () => {
  it.each([
    [{ bucket: 'there-is-none' }, 'NoSuchBucket'],
    [{ credentials: { accessKeyId: 'nobody', secretAccessKey: 'x' } }, 'InvalidAccessKeyId'],
    [{ endpoint: new URL('http://127.0.0.1:1') }, 'ECONNREFUSED'],
  ])('aborts startup with %j', async (changes, reason) => {
    const settings = { ...(await makeBucket()).settings, ...changes }
    const opening = openBucket({ settings, clock: () => new Date() })
    const startupError = await opening.catch((error: unknown) => error)
    expect(startupError).toMatchObject({ name: 'StartupError' })
    expect(String(startupError)).toContain(reason)
    expect(String(startupError)).toContain('settings that begin with S3_')
  })
})
