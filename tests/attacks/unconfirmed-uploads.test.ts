import { eq } from 'drizzle-orm'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { uploads } from '../../src/server/db/schema.ts'
import { sweepUploads } from '../../src/server/uploads/end-uploads.ts'
import { defaultTier, tiers } from '../../src/shared/rules/tiers/tier.ts'
import { defaultLimits, largestFileSize } from '../../src/shared/rules/tiers/tier-limits.ts'
import { newFile, requestLink } from '../support/link-requests.ts'
import { json, makePerson, type Person, putBytes, type StartedUpload } from '../support/make.ts'
import { startTestApp, type TestApp } from '../support/test-app.ts'
import { testSpace } from '../support/test-space.ts'
import { expectError, requestConfirm, requestUpload } from '../support/upload-requests.ts'

/**
 * The attack: use up space with uploads that are started but never sent, or sent but never
 * confirmed, from one account or many. Announced bytes count toward the account's limits and the
 * storage cap at once. When free space is short, the server rejects further bytes and ends
 * abandoned uploads early.
 */
const minute = 60_000
const mebibyte = 1024 ** 2
const gibibyte = 1024 * mebibyte

const space = testSpace()
let app: TestApp
beforeAll(async () => {
  app = await startTestApp({ space })
})
afterEach(async () => {
  Object.assign(space, { freeBytes: Number.POSITIVE_INFINITY, measureFreeBytes: null })
  await app.deps.db.delete(uploads)
})
afterAll(() => app.close())

function countUploads({ id }: Person) {
  return app.deps.db.$count(uploads, eq(uploads.ownerId, id))
}

/** Starts `count` uploads in parallel. Returns the statuses. */
async function startInParallel(person: Person, count: number, fileSize: number) {
  const responsePromises = Array.from({ length: count }, () => requestUpload(person, { fileSize }))
  const responses = await Promise.all(responsePromises)
  return responses.map(({ status }) => status).sort()
}

async function start(person: Person, fileSize: number): Promise<StartedUpload> {
  const response = await requestUpload(person, { fileSize })
  expect(response.status).toBe(200)
  return json(response)
}

describe('a disk with space for one more upload', () => {
  test('stores one of eight parallel uploads', async () => {
    const person = await makePerson(app, { tier: 'premium' })
    space.freeBytes = 15_000
    const responses = await Promise.all(
      Array.from({ length: 8 }, () => requestUpload(person, { fileSize: 10_000 })),
    )
    const uploads = await Promise.all(responses.map((response) => json<StartedUpload>(response)))
    // A transfer that the server rejects may end before all of its bytes are sent.
    const send = (upload: StartedUpload) =>
      putBytes(upload, new Uint8Array(10_000)).then(
        ({ status }) => status,
        () => 507,
      )
    const statuses = await Promise.all(uploads.map(send))
    expect(statuses.sort()).toEqual([200, ...Array(7).fill(507)])
    expect(space.freeBytes).toBeGreaterThanOrEqual(0)
  })

  test('rejects a large upload and accepts a smaller one', async () => {
    const person = await makePerson(app)
    space.freeBytes = 1000
    const response = await requestUpload(person, { fileSize: 1001 })
    expect((await json<{ message: string }>(response.clone())).message).toContain(
      'too little free space',
    )
    await expectError(response, 507, 'STORAGE_FULL')
    // The rejected upload leaves no row and logs no error.
    expect(await countUploads(person)).toBe(0)
    await start(person, 1000)
    expect(app.logLines.filter(({ level }) => level >= 50)).toEqual([])
  })

  test('loses no space to uploads that are never sent', async () => {
    const [eve, bob] = [await makePerson(app, { tier: 'premium' }), await makePerson(app)]
    space.freeBytes = 25 * gibibyte
    expect(new Set(await startInParallel(eve, 20, gibibyte))).toEqual(new Set([200]))
    const upload = await start(bob, 5 * mebibyte)
    expect((await putBytes(upload, new Uint8Array(5 * mebibyte))).status).toBe(200)
  })

  test('counts stored bytes once: a resumed upload needs space only for the rest', async () => {
    const person = await makePerson(app)
    space.freeBytes = 1000
    const upload = await start(person, 600)
    expect((await putBytes(upload, new Uint8Array(600))).status).toBe(200)
    expect(space.freeBytes).toBe(400)
    await start(person, 400)
    expect((await requestConfirm(person, upload.cloudKey)).status).toBe(200)
  })
})

describe('a disk full of unconfirmed uploads', () => {
  test('is freed of uploads that were idle for 15 minutes', async () => {
    const bob = await makePerson(app)
    const carol = await makePerson(app, { tier: 'premium' })
    space.freeBytes = 2000
    const [activeUpload, abandonedUpload] = [await start(carol, 1000), await start(carol, 1000)]
    for (const upload of [activeUpload, abandonedUpload])
      await putBytes(upload, new Uint8Array(1000))
    const getStoredSize = async ({ cloudKey }: StartedUpload) =>
      (await app.disk.storedSize(cloudKey)) ?? 0
    space.measureFreeBytes = async () =>
      2000 - (await getStoredSize(activeUpload)) - (await getStoredSize(abandonedUpload))
    // An upload whose bytes may still arrive isn't removed.
    app.clock.advance(14 * minute)
    await putBytes(activeUpload, new Uint8Array(1000))
    await sweepUploads(app.deps)
    await expectError(await requestUpload(bob, { fileSize: 500 }), 507, 'STORAGE_FULL')
    app.clock.advance(2 * minute)
    await sweepUploads(app.deps)
    await start(bob, 500)
    expect(await getStoredSize(abandonedUpload)).toBe(0)
    expect((await requestConfirm(carol, activeUpload.cloudKey)).status).toBe(200)
  })
})

test('a link starts only if all its files fit', async () => {
  const person = await makePerson(app, { tier: 'premium' })
  space.freeBytes = 25
  const files = [newFile({ fileSize: 10 }), newFile({ fileSize: 100 })]
  await expectError(await requestLink(person, files), 507, 'STORAGE_FULL')
  expect(await countUploads(person)).toBe(0)
})

describe('an account', () => {
  test("without a file limit can't exceed its byte limit with parallel calls", async () => {
    const largestSize = largestFileSize(defaultLimits)
    const tier = tiers.find((tier) => defaultLimits[tier].maxFileSize === largestSize)
    const person = await makePerson(app, { tier: tier ?? defaultTier })
    const statuses = await startInParallel(person, 40, largestSize)
    expect(statuses).toEqual([...Array(32).fill(200), ...Array(8).fill(409)])
    expect(await countUploads(person)).toBe(32)
    await expectError(await requestUpload(person), 409, 'UPLOADS_UNFINISHED')

    app.clock.advance(24 * 60 * minute + 1)
    await sweepUploads(app.deps)
    await start(person, largestSize)
  })

  test('without a file limit can start a thousand small uploads', async () => {
    const person = await makePerson(app, { tier: 'premium' })
    const response = await requestLink(person, Array(1000).fill(newFile({ fileSize: 1 })))
    expect(response.status).toBe(201)
    expect(await countUploads(person)).toBe(1000)
  })

  test('with three slots has at most three idle uploads besides three active ones', async () => {
    const person = await makePerson(app)
    for (let round = 0; round < 4; round += 1) {
      await startInParallel(person, 20, 500 * mebibyte)
      app.clock.advance(16 * minute)
    }
    expect(await countUploads(person)).toBe(6)
  })
})

test("a link starts only within the account's limit", async () => {
  const person = await makePerson(app, { tier: 'premium' })
  const largeFile = newFile({ fileSize: 1024 * mebibyte })
  expect((await requestLink(person, Array(31).fill(largeFile))).status).toBe(201)
  const files = [newFile(), largeFile]
  await expectError(await requestLink(person, files), 409, 'UPLOADS_UNFINISHED')
  expect(await countUploads(person)).toBe(31)
})
