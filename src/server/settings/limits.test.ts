import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  json,
  makeClient,
  makeFile,
  makePerson,
  type Person,
  putBytes,
  requestRenewal,
  type StartedUpload,
  startUpload,
} from '../../../tests/support/make.ts'
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts'
import {
  expectError,
  requestConfirm,
  requestUpload,
} from '../../../tests/support/upload-requests.ts'
import type { File } from '../../shared/contract/files.ts'
import { capKeys } from '../../shared/rules/files/storage-cap.ts'
import { dayInMs } from '../../shared/rules/format/units.ts'
import { limitKeys } from '../../shared/rules/tiers/limit-settings.ts'
import { defaultLimits } from '../../shared/rules/tiers/tier-limits.ts'
import { settings, uploads, users } from '../db/schema.ts'
import { writeTrialEmail } from '../tiers/trial-emails.ts'

const megabyte = 1024 ** 2

let app: TestApp
let admin: Person
beforeAll(async () => {
  app = await startTestApp()
  admin = await makePerson(app, { role: 'admin' })
})
beforeEach(async () => {
  await app.deps.db.delete(settings)
  app.deps.settings.clearCache()
})
afterAll(() => app.close())

async function changeSetting(key: string, value: unknown) {
  const response = await admin.post('/api/admin/settings', { key, value })
  expect(await response.clone().text()).toContain(key)
  expect(response.status).toBe(200)
}

async function fetchLimits() {
  return json(await makeClient(app).fetch('/api/settings/limits'))
}

async function startAndSend(person: Person, size = 5, days = '3'): Promise<StartedUpload> {
  const upload = await startUpload(person, { size, days })
  expect((await putBytes(upload, new Uint8Array(size))).status).toBe(200)
  return upload
}

async function confirmUpload(person: Person, { cloudKey }: StartedUpload): Promise<File> {
  const response = await requestConfirm(person, cloudKey)
  expect(response.status).toBe(200)
  return json(response)
}

function daysUntil(file: File, end: 'expiresAt' | 'maxLifetimeAt') {
  return (Date.parse(file[end]) - Date.parse(file.createdAt)) / dayInMs
}

describe('GET /api/settings/limits', () => {
  it('returns the defaults of spec §9 and applies changes immediately', async () => {
    expect(await fetchLimits()).toEqual(defaultLimits)
    await changeSetting('premium_max_file_size', '2GB')
    await changeSetting('premium_expiration_days', '1, 3, 14')
    await changeSetting('free_max_files', 5)
    expect(await fetchLimits()).toEqual({
      free: { ...defaultLimits.free, maxFiles: 5 },
      premium: {
        ...defaultLimits.premium,
        maxFileSize: 2048 * megabyte,
        expirationDays: [1, 3, 14],
      },
    })
  })

  it('returns the same limits as the account of the signed-in user', async () => {
    await changeSetting('free_max_files', 4)
    expect(await json(await admin.fetch('/api/auth/user'))).toMatchObject({
      limits: await fetchLimits(),
    })
  })

  it("returns the default for a row that can't be parsed", async () => {
    const row = { key: 'free_max_files', value: 'a dozen', updatedAt: app.clock() }
    await app.deps.db.insert(settings).values(row)
    expect(await fetchLimits()).toEqual(defaultLimits)
  })

  it('agrees with the API description, even after a change', async () => {
    await changeSetting('free_max_files', 7)
    const text = await (await makeClient(app).fetch('/api/openapi.json')).text()
    expect(text).toContain('The free tier holds 7 files at most:')
    expect(text).not.toContain('3 files at most')
  })
})

describe('a change of a limit', () => {
  it.each([
    ['free_max_files', '0', 'The number of files must be a whole number from 1 to 10,000'],
    ['free_max_files', -1, 'The number of files must be a whole number from 1 to 10,000'],
    ['premium_max_file_size', '79GB', 'storage takes 10,000 parts of 8MB at most.'],
    ['premium_max_file_size', 2 ** 60, 'from 1MB to 78.1GB'],
    ['free_expiration_days', '1 2 3 4 5 6', '5 whole numbers at most, each from 1 to 365'],
    ['premium_max_lifetime_days', '366', 'a whole number of days from 1 to 365'],
    ['premium_max_lifetime_days', '6', 'Premium would offer 7 days, but keep files for 6 days'],
    ['free_max_files', 'unlimited', null],
    ['free_max_file_size', '1025MB', 'Free would allow more than Premium: larger files.'],
    ['free_expiration_days', '3, 8', 'Free would allow more than Premium: longer links.'],
    ['storage_cap', '1', 'The cap must be a size from 1MB to 1,000,000GB, or unlimited.'],
    ['free_space', 'plenty', 'The minimum free space must be a size from 0 to 1,000,000GB.'],
  ])('of %s to %j is rejected with the limit: %s', async (key, value, limit) => {
    const response = await admin.post('/api/admin/settings', { key, value })
    expect(response.status).toBe(limit === null ? 200 : 400)
    if (limit === null) return
    expect(await json(response)).toEqual({
      code: 'INVALID_INPUT',
      message: expect.stringContaining(limit),
    })
    expect(await app.deps.db.select().from(settings)).toEqual([])
  })

  it('is checked against parallel changes of other limits', async () => {
    // Each change is allowed by itself, but the two conflict.
    const changes = [
      ['premium_max_lifetime_days', '30'],
      ['premium_expiration_days', '3,31'],
    ]
    for (let round = 0; round < 4; round += 1) {
      await changeSetting('premium_max_lifetime_days', '31')
      await changeSetting('premium_expiration_days', '3')
      const responses = await Promise.all(
        changes.map(([key, value]) => admin.post('/api/admin/settings', { key, value })),
      )
      expect(responses.map(({ status }) => status).sort()).toEqual([200, 400])
    }
  })

  it('is allowed only for the administrator', async () => {
    const user = await makePerson(app, { tier: 'premium' })
    for (const key of [...limitKeys, ...capKeys]) {
      const body = { key, value: '1' }
      expect((await user.post('/api/admin/settings', body)).status).toBe(403)
      expect((await makeClient(app).post('/api/admin/settings', body)).status).toBe(401)
    }
  })
})

describe('uploads started after a change', () => {
  it('are limited to the new file count, and no files are deleted', async () => {
    const person = await makePerson(app)
    for (const name of ['one', 'two']) await makeFile(person, { name })
    await changeSetting('free_max_files', 1)
    const rejectedResponse = await requestUpload(person)
    expect(await json(rejectedResponse)).toEqual({
      code: 'TIER_FILE_COUNT',
      message:
        'The free tier holds 1 file at most: delete files to make room. Upgrade to Premium for unlimited uploads.',
    })
    expect(await json<File[]>(await person.fetch('/api/files'))).toHaveLength(2)
    await changeSetting('free_max_files', 3)
    await makeFile(person)
  })

  it('are limited even in a tier that was unlimited before', async () => {
    const person = await makePerson(app, { tier: 'premium' })
    await changeSetting('free_max_files', 2)
    await changeSetting('premium_max_files', 2)
    const responses = await Promise.all(Array.from({ length: 8 }, () => requestUpload(person)))
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 200, ...Array(6).fill(403)])
    await expectError(await requestUpload(person), 403, 'TIER_FILE_COUNT')
  })

  it('are limited to the new size, to the byte', async () => {
    const [free, premium] = [await makePerson(app), await makePerson(app, { tier: 'premium' })]
    await changeSetting('free_max_file_size', '2MB')
    await changeSetting('premium_max_file_size', '3MB')
    expect((await requestUpload(free, { fileSize: 2 * megabyte })).status).toBe(200)
    expect(await json(await requestUpload(free, { fileSize: 2 * megabyte + 1 }))).toEqual({
      code: 'TIER_FILE_SIZE',
      message: 'The free tier takes files up to 2MB. Upgrade to Premium for files up to 3MB.',
    })
    expect((await requestUpload(premium, { fileSize: 3 * megabyte })).status).toBe(200)
    const rejectedResponse = await requestUpload(premium, { fileSize: 3 * megabyte + 1 })
    await expectError(rejectedResponse, 413, 'FILE_TOO_LARGE')
  })

  it('can have 10,000 parts if the limit allows it', async () => {
    await changeSetting('premium_max_file_size', '83886080000')
    const person = await makePerson(app, { tier: 'premium' })
    const { db } = app.deps
    // The limits allow this upload, but the test machine's disk may be too small for it, which
    // causes a 507.
    const response = await requestUpload(person, { fileSize: 83_886_080_000 })
    expect([200, 507]).toContain(response.status)
    await db.delete(uploads).where(eq(uploads.ownerId, person.id))
  })

  it('can choose the new days, within the new maximum lifetime', async () => {
    const person = await makePerson(app, { tier: 'premium' })
    await changeSetting('premium_max_lifetime_days', '90')
    await changeSetting('premium_expiration_days', '1,60')
    const file = await makeFile(person, { days: '60' })
    expect([daysUntil(file, 'expiresAt'), daysUntil(file, 'maxLifetimeAt')]).toEqual([60, 90])
    // Only the free tier offers 3 days now, and no tier offers 7.
    expect(await json(await requestUpload(person, { expirationDays: '3' }))).toEqual({
      code: 'TIER_EXPIRATION',
      message: 'The premium tier keeps files for 1 or 60 days.',
    })
    expect(await json(await requestUpload(person, { expirationDays: '7' }))).toEqual({
      code: 'INVALID_INPUT',
      message: 'expirationDays: Must be 1, 3 or 60 days.',
    })
  })
})

describe('an upload started before a change', () => {
  it('is confirmed within the file limit that applied at its start', async () => {
    const person = await makePerson(app)
    const startedUploads = [
      await startAndSend(person),
      await startAndSend(person),
      await startAndSend(person),
    ]
    await changeSetting('free_max_files', 1)
    for (const upload of startedUploads) await confirmUpload(person, upload)
    await expectError(await requestUpload(person), 403, 'TIER_FILE_COUNT')
  })

  it('is confirmed without a file limit if it started without one', async () => {
    const person = await makePerson(app, { tier: 'premium' })
    await makeFile(person)
    await makeFile(person)
    const upload = await startAndSend(person)
    await changeSetting('free_max_files', 1)
    await changeSetting('premium_max_files', 1)
    await confirmUpload(person, upload)
  })

  it('is confirmed if the limit was raised after the upload lost its slot', async () => {
    const person = await makePerson(app)
    const upload = await startAndSend(person)
    app.clock.advance(16 * 60_000)
    for (let count = 0; count < 3; count += 1) await makeFile(person)
    await expectError(await requestConfirm(person, upload.cloudKey), 403, 'TIER_FILE_COUNT')
    await changeSetting('free_max_files', 4)
    await confirmUpload(person, upload)
  })

  it('is limited by the new tier after a tier change', async () => {
    const person = await makePerson(app, { tier: 'premium' })
    for (let count = 0; count < 3; count += 1) await makeFile(person)
    const upload = await startAndSend(person)
    await app.deps.db.update(users).set({ tier: 'free' }).where(eq(users.id, person.id))
    await expectError(await requestConfirm(person, upload.cloudKey), 403, 'TIER_FILE_COUNT')
  })

  it('keeps its days and maximum lifetime, and so do files', async () => {
    const person = await makePerson(app, { tier: 'premium' })
    const existingFile = await makeFile(person, { days: '7' })
    const upload = await startAndSend(person, 5, '7')
    await changeSetting('premium_expiration_days', '3')
    await changeSetting('free_max_lifetime_days', '4')
    await changeSetting('premium_max_lifetime_days', '4')
    const file = await confirmUpload(person, upload)
    expect([daysUntil(file, 'expiresAt'), daysUntil(file, 'maxLifetimeAt')]).toEqual([7, 30])
    const fileList = await json<File[]>(await person.fetch('/api/files'))
    expect(fileList.find(({ id }) => id === existingFile.id)).toMatchObject({
      expiresAt: existingFile.expiresAt,
      maxLifetimeAt: existingFile.maxLifetimeAt,
    })
  })

  it('is resumed by its idempotency key even if a new upload would be rejected', async () => {
    for (const tier of ['free', 'premium'] as const) {
      const person = await makePerson(app, { tier })
      const request = { size: 3 * megabyte, idempotencyKey: 'again' }
      const firstUpload = await startUpload(person, request)
      await changeSetting('free_max_file_size', '1MB')
      await changeSetting('premium_max_file_size', '2MB')
      const secondUpload = await startUpload(person, request)
      expect(secondUpload.cloudKey).toBe(firstUpload.cloudKey)
      await expectError(
        await requestUpload(person, { fileSize: 3 * megabyte, idempotencyKey: 'another' }),
        413,
        'FILE_TOO_LARGE',
      )
      await changeSetting('premium_max_file_size', '1GB')
      await changeSetting('free_max_file_size', '500MB')
    }
  })

  it('uses the current limits if none were recorded at its start', async () => {
    const person = await makePerson(app)
    for (let count = 0; count < 2; count += 1) await makeFile(person)
    const upload = await startAndSend(person)
    const { db } = app.deps
    await db
      .update(uploads)
      .set({ tier: null, maxFiles: null })
      .where(eq(uploads.ownerId, person.id))
    await changeSetting('free_max_files', 2)
    await expectError(await requestConfirm(person, upload.cloudKey), 403, 'TIER_FILE_COUNT')
    await changeSetting('free_max_files', 3)
    expect(daysUntil(await confirmUpload(person, upload), 'maxLifetimeAt')).toBe(30)
  })
})

describe('renewals and preferences after a change', () => {
  it("can use the tier's new days, within the maximum lifetime", async () => {
    const person = await makePerson(app, { tier: 'premium' })
    const file = await makeFile(person)
    await changeSetting('premium_expiration_days', '1,14')
    const response = await requestRenewal(person, file.id, { expirationDays: 14 })
    expect(response.status).toBe(200)
    await expectError(
      await requestRenewal(person, file.id, { expirationDays: 3 }),
      403,
      'TIER_EXPIRATION',
    )
    await expectError(
      await requestRenewal(person, file.id, { expirationDays: 5 }),
      400,
      'INVALID_INPUT',
    )
    await changeSetting('premium_max_lifetime_days', '365')
    await changeSetting('premium_expiration_days', '1,300')
    const renewedFile = await json<File>(
      await requestRenewal(person, file.id, { expirationDays: 300 }),
    )
    expect(renewedFile.expiresAt).toBe(file.maxLifetimeAt)
  })

  it("accept the tier's new days", async () => {
    const person = await makePerson(app, { tier: 'premium' })
    const setPreference = (defaultExpirationDays: number) =>
      person.fetch('/api/preferences', {
        method: 'PATCH',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ defaultExpirationDays }),
      })
    expect((await setPreference(7)).status).toBe(200)
    await changeSetting('premium_expiration_days', '1,14')
    expect((await setPreference(14)).status).toBe(200)
    await expectError(await setPreference(7), 400, 'INVALID_INPUT')
    await expectError(await setPreference(3), 403, 'TIER_EXPIRATION')
    expect(await json(await person.fetch('/api/preferences'))).toMatchObject({
      defaultExpirationDays: 14,
    })
  })
})

describe('emails after a change', () => {
  it('state the current limits of a free account', async () => {
    const endsAt = new Date(app.clock().getTime() + 3 * dayInMs)
    const person = await makePerson(app, { tier: 'premium', premiumTrialEndsAt: endsAt })
    const writeEmailText = async () => {
      const request = { kind: 'trial', userId: person.id, about: 'three-days' } as const
      const sentEmail = await writeTrialEmail(app.deps, {
        ...request,
        endsAt: endsAt.toISOString(),
      })
      return JSON.stringify(sentEmail?.content)
    }
    expect(await writeEmailText()).toContain('free again: 3 files at most, 500MB each, for 3 days.')
    await changeSetting('free_max_files', 1)
    await changeSetting('free_max_file_size', '20MB')
    await changeSetting('free_expiration_days', '1,2')
    expect(await writeEmailText()).toContain(
      'free again: 1 file at most, 20MB each, for 1 or 2 days.',
    )
  })
})
