import { afterAll, beforeAll, expect, it } from 'vitest'
import { uploads } from '../src/server/db/schema.ts'
import { makeKey, withKey } from './support/keys.ts'
import { makeClient, makePerson } from './support/make.ts'
import { describePutFile } from './support/put-file.suite.ts'
import { describeOnS3, makeBucket } from './support/s3.ts'
import { startTestApp, type TestApp } from './support/test-app.ts'

describeOnS3('with a bucket', () => {
  describePutFile('a bucket', async () => ({ env: (await makeBucket()).env }))
})

describeOnS3('the memory of bodies for a bucket', () => {
  let app: TestApp
  beforeAll(async () => {
    app = await startTestApp({ env: (await makeBucket()).env })
  })
  afterAll(() => app.close())

  it('is limited, so that further ones are refused', async () => {
    const { key } = await makeKey(await makePerson(app, { tier: 'premium' }))
    const end = Promise.withResolvers<void>()
    const put = () => {
      const body = new ReadableStream<Uint8Array>({
        start: (controller) => controller.enqueue(new Uint8Array(1)),
        pull: (controller) => end.promise.then(() => controller.close()),
      })
      const init = { method: 'PUT', body, duplex: 'half' } as RequestInit
      return withKey(makeClient(app), key).fetch('/api/up/x', init)
    }
    const running = Array.from({ length: 8 }, put)
    await expect.poll(() => app.deps.db.$count(uploads)).toBe(8)
    const refused = await put()
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '10'])
    end.resolve()
    for (const { status } of await Promise.all(running)) expect(status).toBe(201)
    expect((await put()).status).toBe(201)
  })
})
