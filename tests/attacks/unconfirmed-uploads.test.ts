import { eq } from 'drizzle-orm'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { uploads } from '../../src/server/db/schema.ts'
import { newStorageKey } from '../../src/server/storage/storage-key.ts'
import {
  holdToAccountCeiling,
  holdToInstanceCeiling,
} from '../../src/server/uploads/hold-ceiling.ts'
import {
  type NewUpload,
  type OpenedUpload,
  prepareInsertUploads,
} from '../../src/server/uploads/prepared-queries.ts'
import { UnfinishedTotal } from '../../src/server/uploads/unfinished-total.ts'
import { defaultTier, tiers } from '../../src/shared/rules/tiers/tier.ts'
import { defaultLimits, largestFileSize } from '../../src/shared/rules/tiers/tier-limits.ts'
import { json, makePerson, type Person, putBytes, type StartedUpload } from '../support/make.ts'
import { startTestApp, type TestApp } from '../support/test-app.ts'
import { type TestSpace, testSpace } from '../support/test-space.ts'
import { endsOf, startAll, wish } from '../support/upload-batches.ts'
import { abort, askForUpload, confirm, expectRefusal } from '../support/upload-requests.ts'

/**
 * The attack: somebody takes the server's space by uploads that are announced but never sent, or
 * sent but never confirmed, one after another or in parallel, with one account or many. The
 * defence: announced bytes count from the start, no limit can be exceeded, and abandoned uploads
 * are removed for new ones.
 */
const minute = 60_000
const mebibyte = 1024 ** 2
const gibibyte = 1024 * mebibyte

let space: TestSpace
let app: TestApp
beforeEach(async () => {
  space = testSpace()
  app = await startTestApp({ space })
})
afterEach(() => app.close())

function rowsOf({ id }: Person) {
  return app.deps.db.$count(uploads, eq(uploads.ownerId, id))
}

/** Asks for `count` uploads in parallel. Returns the status of each answer. */
async function askAtOnce(person: Person, count: number, fileSize: number) {
  const asked = Array.from({ length: count }, () => askForUpload(person, { fileSize }))
  const answers = await Promise.all(asked)
  return answers.map(({ status }) => status).sort()
}

/** Says how one new upload fared at a ceiling, which returns the uploads that did not fit. */
function endOf(refused: readonly unknown[]): 'taken' | 'refused' {
  return refused.length === 0 ? 'taken' : 'refused'
}

/**
 * Inserts the row of an upload. The start of an upload does that too, before it checks the
 * ceilings.
 */
async function insertUpload(owner: Person, size: number): Promise<OpenedUpload> {
  const wanted: NewUpload = {
    storage: 'disk',
    storageKey: newStorageKey(),
    originalName: 'notes.txt',
    mimeType: 'text/plain',
    size,
    expirationDays: 3,
    partSize: 8 * mebibyte,
    tier: defaultTier,
    maxFiles: 3,
    maxLifetimeDays: 30,
    idempotencyKey: null,
  }
  const [upload] = await prepareInsertUploads(app.deps.db)(owner.id, [wanted], app.clock())
  if (!upload) throw new Error('it was not opened')
  return upload
}

async function start(person: Person, fileSize: number): Promise<StartedUpload> {
  const response = await askForUpload(person, { fileSize })
  expect(response.status).toBe(200)
  return json(response)
}

describe('a disk with room for one upload more', () => {
  test('takes one of a hundred that start at the same time', async () => {
    const person = await makePerson(app, { tier: 'premium' })
    space.left = 250 * mebibyte
    const statuses = await askAtOnce(person, 100, 200 * mebibyte)
    expect(statuses).toEqual([200, ...Array(99).fill(507)])
    // A refused upload leaves no row.
    expect(await rowsOf(person)).toBe(1)
  })

  test('refuses the second by a sentence that says what to do, and takes a smaller one', async () => {
    const person = await makePerson(app)
    space.left = 1000
    const { cloudKey } = await start(person, 800)
    const refused = await askForUpload(person, { fileSize: 201 })
    expect(await json(refused.clone())).toEqual({
      code: 'STORAGE_FULL',
      message:
        'This server has too little free space for this file. Files up to 200 Bytes fit now. ' +
        'Its operator has to make room. Please try again later.',
    })
    await expectRefusal(refused, 507, 'STORAGE_FULL')
    // The refused upload does not count against the limit of three files, and the log shows no
    // error.
    await start(person, 200)
    expect(app.logged.filter(({ level }) => level >= 50)).toEqual([])
    // An aborted upload frees its space immediately.
    await abort(person, cloudKey)
    await start(person, 800)
  })

  test('counts what has arrived once: the rest of an upload needs no more than the rest', async () => {
    const person = await makePerson(app)
    space.left = 1000
    const upload = await start(person, 600)
    expect((await putBytes(upload, new Uint8Array(600))).status).toBe(200)
    expect(space.left).toBe(400)
    await start(person, 400)
    expect((await confirm(person, upload.cloudKey)).status).toBe(200)
  })

  test('holds nothing for an upload of which nothing came for 15 minutes', async () => {
    const [ada, bob] = [await makePerson(app), await makePerson(app)]
    space.left = 1000
    await start(ada, 900)
    await expectRefusal(await askForUpload(bob, { fileSize: 900 }), 507, 'STORAGE_FULL')
    app.clock.advance(16 * minute)
    await start(bob, 900)
  })
})

describe('room that one account is promised and does not use', () => {
  test('is at most half of it, however many starts come at once: others go on', async () => {
    const [eve, bob] = [await makePerson(app, { tier: 'premium' }), await makePerson(app)]
    space.left = 25 * gibibyte
    // The largest upload does not count: 12 others, and as much is left.
    const held = [...Array(13).fill(200), ...Array(19).fill(409)]
    expect(await askAtOnce(eve, 32, gibibyte)).toEqual(held)
    const more = await askForUpload(eve, { fileSize: 600 * mebibyte })
    await expectRefusal(more, 409, 'UPLOADS_UNFINISHED')
    await start(bob, 5 * mebibyte)
  })

  test('is all there is, for what a browser sends at once: a large file and 48 small ones', async () => {
    const ada = await makePerson(app, { tier: 'premium' })
    space.left = 1408 * mebibyte
    await start(ada, gibibyte)
    const drop = await startAll(ada, Array(48).fill(wish({ fileSize: 8 * mebibyte })))
    expect(new Set(endsOf(drop))).toEqual(new Set(['ok']))
  })

  test('goes to others after 15 minutes, though the start is repeated', async () => {
    const [eve, bob] = [await makePerson(app, { tier: 'premium' }), await makePerson(app)]
    space.left = gibibyte
    const repeated = { fileSize: gibibyte, idempotencyKey: 'repeated' }
    const repeat = async () => json<StartedUpload>(await askForUpload(eve, repeated))
    const { cloudKey } = await repeat()
    for (const minutes of [9, 5]) {
      app.clock.advance(minutes * minute)
      expect((await repeat()).cloudKey).toBe(cloudKey)
      await expectRefusal(await askForUpload(bob), 507, 'STORAGE_FULL')
    }
    app.clock.advance(2 * minute)
    // Its own repetition does not end it.
    expect((await repeat()).cloudKey).toBe(cloudKey)
    expect(await rowsOf(eve)).toBe(1)
    await start(bob, 5 * mebibyte)
    expect(await rowsOf(eve)).toBe(0)
  })

  test('stays with an upload that goes on: its start is repeated after a pause', async () => {
    const [ada, bob] = [await makePerson(app), await makePerson(app)]
    const fileSize = 8 * mebibyte + 1
    space.left = fileSize
    const repeated = { fileSize, idempotencyKey: 'repeated' }
    const repeat = async () => json<StartedUpload>(await askForUpload(ada, repeated))
    const { cloudKey, parts, ...upload } = await repeat()
    app.clock.advance(minute)
    const second = { ...upload, cloudKey, uploadUrl: parts?.urls[2] ?? '' }
    expect((await putBytes(second, new Uint8Array(1))).status).toBe(200)
    app.clock.advance(20 * minute)
    expect((await repeat()).cloudKey).toBe(cloudKey)
    await expectRefusal(await askForUpload(bob), 507, 'STORAGE_FULL')
  })
})

describe('a disk that is full of uploads nobody confirmed', () => {
  test('is freed by those that were idle for 15 minutes, the longest idle first', async () => {
    const [ada, bob, eve] = [
      await makePerson(app),
      await makePerson(app),
      await makePerson(app, { tier: 'premium' }),
    ]
    space.left = 12_000
    const abandoned: StartedUpload[] = []
    for (let count = 0; count < 12; count += 1) {
      const upload = await start(eve, 1000)
      await putBytes(upload, new Uint8Array(1000))
      abandoned.push(upload)
      app.clock.advance(1000)
    }
    const stored = async (upload: StartedUpload) =>
      (await app.disk.storedSize(upload.cloudKey)) ?? 0
    space.found = async () => {
      const sizes = await Promise.all(abandoned.map(stored))
      return 12_000 - sizes.reduce((sum, size) => sum + size, 0)
    }
    // Uploads stay as long as somebody may still send their bytes.
    await expectRefusal(await askForUpload(bob, { fileSize: 500 }), 507, 'STORAGE_FULL')
    app.clock.advance(14 * minute)
    const [first] = abandoned
    if (!first) throw new Error('nothing was abandoned')
    await putBytes(first, new Uint8Array(1000))
    app.clock.advance(2 * minute)
    await start(bob, 500)
    // Uploads are removed ten at a time. Of the twelve, two are left: the first, which got bytes
    // again, and one that was not among the ten.
    expect(await rowsOf(eve)).toBe(2)
    expect(await stored(first)).toBe(1000)
    expect((await confirm(eve, first.cloudKey)).status).toBe(200)
    await start(ada, 500)
  })
})

test('a batch takes only what has room, and keeps no row of the rest', async () => {
  const person = await makePerson(app, { tier: 'premium' })
  space.left = 25
  const results = await startAll(person, [wish(), wish({ fileSize: 100 }), wish(), wish()])
  expect(endsOf(results)).toEqual(['ok', 'STORAGE_FULL', 'ok', 'STORAGE_FULL'])
  expect(results[1]?.error?.httpStatus).toBe(507)
  expect(await rowsOf(person)).toBe(2)
})

describe('an account', () => {
  test('without a limit of files passes its ceiling in no number of parallel calls', async () => {
    const largest = largestFileSize(defaultLimits)
    const tier = tiers.find((tier) => defaultLimits[tier].maxFileSize === largest)
    const person = await makePerson(app, { tier: tier ?? defaultTier })
    const statuses = await askAtOnce(person, 40, largest)
    expect(statuses).toEqual([...Array(32).fill(200), ...Array(8).fill(409)])
    expect(await rowsOf(person)).toBe(32)
    await expectRefusal(await askForUpload(person), 409, 'UPLOADS_UNFINISHED')

    // Only the person's own abandoned uploads are removed for the new one, not those of others.
    const other = await makePerson(app, { tier: 'premium' })
    await start(other, 5)
    app.clock.advance(16 * minute)
    await start(person, largest)
    expect(await rowsOf(person)).toBe(23)
    expect(await rowsOf(other)).toBe(1)
  })

  test('passes its ceiling on no number of servers, whose statements do not see each other', async () => {
    const person = await makePerson(app, { tier: 'premium' })
    const bytes = 320 * mebibyte
    const startUnseen = async () => {
      const upload = await insertUpload(person, 10 * mebibyte)
      return () => holdToAccountCeiling(app.deps, [{ ...upload, unfinished: 0 }], bytes).then(endOf)
    }
    const inserted = await Promise.all(Array.from({ length: 60 }, startUnseen))
    const ends = await Promise.all(inserted.map((hold) => hold()))
    expect(ends.sort()).toEqual([...Array(28).fill('refused'), ...Array(32).fill('taken')])
    expect(await rowsOf(person)).toBe(32)
  })

  test('without a limit of files sends a thousand small ones, one after another', async () => {
    const person = await makePerson(app, { tier: 'premium' })
    for (let round = 0; round < 50; round += 1) {
      expect(await askAtOnce(person, 20, 1)).toEqual(Array(20).fill(200))
    }
    expect(await rowsOf(person)).toBe(1000)
  })

  test('with three places piles up no more than its idle ones beside them', async () => {
    const person = await makePerson(app)
    for (let round = 0; round < 4; round += 1) {
      await askAtOnce(person, 20, 500 * mebibyte)
      app.clock.advance(16 * minute)
    }
    expect(await rowsOf(person)).toBe(6)
  })
})

test('of a batch only what fits below the ceiling of the account is started', async () => {
  const person = await makePerson(app, { tier: 'premium' })
  const large = wish({ fileSize: 1024 * mebibyte })
  await startAll(person, Array(31).fill(large))
  const results = await startAll(person, [wish(), large, wish()])
  expect(endsOf(results)).toEqual(['ok', 'UPLOADS_UNFINISHED', 'ok'])
  expect(await rowsOf(person)).toBe(33)
})

describe('all accounts together', () => {
  test('pass the ceiling of the instance in no number of parallel calls', async () => {
    const { clock, db } = app.deps
    const owners = await Promise.all([1, 2, 3, 4].map(() => makePerson(app)))
    const unfinished = new UnfinishedTotal(db, clock)
    const size = 10 * mebibyte
    const startAs = async (owner: Person): Promise<string> => {
      const upload = await insertUpload(owner, size)
      const total = await unfinished.add(size)
      return holdToInstanceCeiling(app.deps, [upload], total, 100 * mebibyte).then(endOf)
    }
    const atOnce = Array.from({ length: 20 }, (_, index) => owners[index % 4] as Person)
    const ends = await Promise.all(atOnce.map(startAs))
    expect(ends.sort()).toEqual([...Array(10).fill('refused'), ...Array(10).fill('taken')])
    expect(await db.$count(uploads)).toBe(10)

    // When uploads are idle, the longest idle ones are removed for the new one, ten at a time.
    app.clock.advance(16 * minute)
    expect(await startAs(atOnce[0] as Person)).toBe('taken')
    expect(await db.$count(uploads)).toBe(1)
  })
})
