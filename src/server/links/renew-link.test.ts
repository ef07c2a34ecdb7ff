import { randomUUID } from 'node:crypto'
import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { getFileRow } from '../../../tests/support/file-rows.ts'
import { makeKey, withKey } from '../../../tests/support/keys.ts'
import {
  json,
  makeClient,
  makeFile,
  makePerson,
  type Person,
  requestRenewal,
  signInAgain,
} from '../../../tests/support/make.ts'
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts'
import { requestDownload } from '../../../tests/support/upload-requests.ts'
import type { File } from '../../shared/contract/files.ts'
import { shortCodes, users } from '../db/schema.ts'
import { expireFiles } from '../files/expire-files.ts'
import { counter } from '../http/rate-limit.ts'

const hour = 60 * 60_000
const day = 24 * hour

let app: TestApp
let ada: Person
beforeAll(async () => {
  app = await startTestApp()
  ada = await makePerson(app, { tier: 'premium' })
})
afterAll(async () => {
  const failures = app.logLines.filter(({ level }) => level >= 50)
  await app.close()
  expect(failures).toEqual([])
})

/** Sets the clock and signs Ada in again, because sessions don't last for weeks. */
async function setTime(time: number) {
  app.clock.set(new Date(time))
  ada = await signInAgain(app, ada)
}

async function renew(id: string, expirationDays: number | string = 3): Promise<File> {
  const response = await requestRenewal(ada, id, { expirationDays })
  expect(response.status).toBe(200)
  return json(response)
}

async function expectError(response: Response, status: number, code: string) {
  expect(response.status).toBe(status)
  expect(await response.json()).toMatchObject({ code })
}

describe('a renewal', () => {
  it('issues a new link, and the old link responds like an unknown one', async () => {
    const file = await makeFile(ada, { name: 'press-kit.zip', days: '3' })
    const etag = (await requestDownload(app, file.shortCode)).headers.get('etag') ?? ''
    app.clock.advance(2 * day)
    const renewedFile = await renew(file.id, 7)
    expect(renewedFile.shortCode).not.toBe(file.shortCode)
    expect(renewedFile.expiresAt).toBe(new Date(app.clock().getTime() + 7 * day).toISOString())
    const { shortCode, expiresAt, downloadCount, ...rest } = renewedFile
    expect(file).toMatchObject(rest)
    expect(await json(await ada.fetch('/api/files?limit=1'))).toEqual([renewedFile])

    const bytes = await (await requestDownload(app, renewedFile.shortCode)).arrayBuffer()
    expect(Buffer.from(bytes).equals(Buffer.from(file.bytes))).toBe(true)
    for (const basePath of ['/api/download/', '/s/', '/api/links/']) {
      const inactiveResponse = await makeClient(app).fetch(`${basePath}${file.shortCode}`)
      const unknownResponse = await makeClient(app).fetch(`${basePath}bbbbbbbbbb`)
      expect([inactiveResponse.status, await inactiveResponse.text()]).toEqual([
        404,
        await unknownResponse.text(),
      ])
      expect(inactiveResponse.headers.get('cache-control')).toBe('no-store')
    }
    // A cache must revalidate before each use, and gets 404 once the link has ended.
    expect((await requestDownload(app, file.shortCode, { 'if-none-match': etag })).status).toBe(404)
    const pageResponse = await makeClient(app).fetch(`/s/${file.shortCode}`, {
      headers: { accept: 'text/html' },
    })
    expect(pageResponse.status).toBe(404)
    expect(pageResponse.headers.get('cache-control')).toBe('no-store')
  })

  it("keeps the file's download count and SHA-256", async () => {
    const file = await makeFile(ada)
    await (await requestDownload(app, file.shortCode)).arrayBuffer()
    await (await requestDownload(app, file.shortCode)).arrayBuffer()
    const renewedFile = await renew(file.id)
    await (await requestDownload(app, renewedFile.shortCode)).arrayBuffer()
    expect(renewedFile.sha256).toBe(file.sha256)
    const count = async () => {
      const fileList = await json<File[]>(await ada.fetch('/api/files'))
      return fileList.find(({ id }) => id === file.id)?.downloadCount
    }
    await expect.poll(count).toBe(3)
  })

  it('brings an expired file back, any number of times', async () => {
    const file = await makeFile(ada, { days: '3' })
    const codes = [file.shortCode]
    for (const waitMs of [3 * day, 20 * day, hour]) {
      await setTime(app.clock().getTime() + waitMs)
      codes.push((await renew(file.id)).shortCode)
    }
    expect(new Set(codes).size).toBe(4)
    const activeCode = codes.pop() ?? ''
    expect((await requestDownload(app, activeCode)).status).toBe(200)
    for (const code of codes) expect((await requestDownload(app, code)).status).toBe(404)
    const issuedCodes = await app.deps.db.select().from(shortCodes)
    expect(issuedCodes.map(({ code }) => code)).toEqual(
      expect.arrayContaining([...codes, activeCode]),
    )
  })

  it.each([
    ['with days to spare', 20 * day, 20 * day + 7 * day],
    ['with exactly the requested days left', 23 * day, 30 * day],
    ['with a millisecond less', 23 * day + 1, 30 * day],
    ['with an hour left', 30 * day - hour, 30 * day],
    ['in the last millisecond', 30 * day - 1, 30 * day],
  ])('never extends a link past 30 days after the upload: %s', async (_, age, expectedMs) => {
    const file = await makeFile(ada, { days: '3' })
    const createdAt = Date.parse(file.createdAt)
    await setTime(createdAt + age)
    const renewedFile = await renew(file.id, 7)
    expect(Date.parse(renewedFile.expiresAt) - createdAt).toBe(expectedMs)
    expect((await requestDownload(app, renewedFile.shortCode)).status).toBe(200)
    app.clock.set(new Date(createdAt + expectedMs))
    expect((await requestDownload(app, renewedFile.shortCode)).status).toBe(404)
  })

  it.each([3, 5, 7, '3', '5', '7'])('accepts %j days', async (days) => {
    const file = await makeFile(ada)
    const renewedFile = await renew(file.id, days)
    expect(Date.parse(renewedFile.expiresAt) - app.clock().getTime()).toBe(Number(days) * day)
  })

  it('can shorten the remaining time', async () => {
    const file = await makeFile(ada, { days: '7' })
    const renewedFile = await renew(file.id, 3)
    expect(Date.parse(renewedFile.expiresAt) - app.clock().getTime()).toBe(3 * day)
  })
})

describe('a renewal is refused', () => {
  it.each([
    {},
    { expirationDays: 0 },
    { expirationDays: 4 },
    { expirationDays: -3 },
    { expirationDays: 3.5 },
    { expirationDays: 'three' },
    { expirationDays: null },
    { expirationDays: [3] },
    { expirationDays: '30' },
    [],
    'x',
  ])('with the body %j, and changes nothing', async (body) => {
    const file = await makeFile(ada)
    await expectError(await requestRenewal(ada, file.id, body), 400, 'INVALID_INPUT')
    expect((await requestDownload(app, file.shortCode)).status).toBe(200)
  })

  it.each(['1', '%00', "1' or '1'='1", randomUUID(), 'x'.repeat(60)])(
    'for the unknown id %j',
    async (id) => {
      const response = await requestRenewal(ada, encodeURIComponent(id))
      await expectError(response, 404, 'FILE_NOT_FOUND')
    },
  )

  it("for another user's file", async () => {
    const file = await makeFile(await makePerson(app))
    await expectError(await requestRenewal(ada, file.id), 404, 'FILE_NOT_FOUND')
    expect((await requestDownload(app, file.shortCode)).status).toBe(200)
  })

  it('for a free user before and after expiry, and for a trial user once the trial ends', async () => {
    const eve = await makePerson(app)
    const file = await makeFile(eve)
    await expectError(await requestRenewal(eve, file.id), 403, 'TIER_RENEWAL')
    const endsAt = new Date(app.clock().getTime() + hour)
    await app.deps.db
      .update(users)
      .set({ tier: 'premium', premiumTrialEndsAt: endsAt })
      .where(eq(users.id, eve.id))
    app.clock.set(new Date(endsAt.getTime() - 1))
    const { shortCode } = await json<File>(await requestRenewal(eve, file.id))
    app.clock.set(endsAt)
    await expectError(await requestRenewal(eve, file.id), 403, 'TIER_RENEWAL')
    expect((await requestDownload(app, shortCode)).status).toBe(200)
    app.clock.advance(3 * day)
    await expectError(await requestRenewal(eve, file.id), 403, 'TIER_RENEWAL')
  })

  it('for a file that its owner deleted', async () => {
    const file = await makeFile(ada)
    await ada.fetch(`/api/files/${file.id}`, { method: 'DELETE' })
    await expectError(await requestRenewal(ada, file.id), 404, 'FILE_NOT_FOUND')
  })

  it('as soon as the 30 days are over', async () => {
    const file = await makeFile(ada)
    await setTime(Date.parse(file.maxLifetimeAt))
    await expectError(await requestRenewal(ada, file.id), 409, 'FILE_GONE')
    expect((await requestDownload(app, file.shortCode)).status).toBe(404)
  })

  it('for a file whose bytes were purged while its owner was on Free', async () => {
    const eve = await makePerson(app)
    const file = await makeFile(eve)
    app.clock.advance(3 * day)
    await expireFiles(app.deps)
    await app.deps.db.update(users).set({ tier: 'premium' }).where(eq(users.id, eve.id))
    await expectError(await requestRenewal(eve, file.id), 409, 'FILE_GONE')
    expect((await getFileRow(app, file.id)).shortCode).toBe(file.shortCode)
  })
})

describe('a user who renews too often', () => {
  it("is refused after 300 renewals in an hour and keeps the link, while other users aren't affected", async () => {
    const limitedApp = await startTestApp({ env: { RATE_LIMITS: 'on' } })
    try {
      const people = [1, 2].map(() => makePerson(limitedApp, { tier: 'premium' }))
      const [eve, bob] = (await Promise.all(people)) as [Person, Person]
      const file = await makeFile(eve)
      expect((await requestRenewal(eve, file.id, { expirationDays: 3 })).status).toBe(200)
      const { key } = counter('renewalsByCaller', eve.id)
      await limitedApp.pool.query('update rate_limits set points = 299 where key = $1', [key])
      expect((await requestRenewal(eve, file.id, { expirationDays: 3 })).status).toBe(200)
      const codes = await limitedApp.deps.db.$count(shortCodes)
      const rejection = await requestRenewal(eve, file.id, { expirationDays: 3 })
      expect(Number(rejection.headers.get('retry-after'))).toBeGreaterThan(0)
      await expectError(rejection, 429, 'TOO_MANY_REQUESTS')
      expect(await limitedApp.deps.db.$count(shortCodes)).toBe(codes)
      // A program can't keep its owner from renewing, nor the other way round.
      const program = withKey(makeClient(limitedApp), (await makeKey(eve)).key)
      expect((await requestRenewal(program, file.id, { expirationDays: 3 })).status).toBe(200)
      const bobFile = await makeFile(bob)
      expect((await requestRenewal(bob, bobFile.id, { expirationDays: 3 })).status).toBe(200)
      limitedApp.clock.advance(hour)
      expect((await requestRenewal(eve, file.id, { expirationDays: 3 })).status).toBe(200)
    } finally {
      await limitedApp.close()
    }
  })
})
