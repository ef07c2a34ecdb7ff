import { eq } from 'drizzle-orm'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type FreshDatabase,
  openFreshDatabase,
} from '../../../tests/support/open-fresh-database.ts'
import { slotHeldMs } from '../../shared/rules/files/kept-times.ts'
import { minuteInMs } from '../../shared/rules/format/units.ts'
import { defaultLimits } from '../../shared/rules/tiers/tier-limits.ts'
import { uploads, users } from '../db/schema.ts'
import { newStorageKey } from '../storage/storage-key.ts'
import { endUploadsOf, type Upload } from './queries.ts'
import { restartUpload } from './removal-queries.ts'
import { divideSlots, maxFilesOf, takeSlots } from './take-slots.ts'

const now = new Date('2026-03-01T12:00:00Z')

function ago(ms: number): Date {
  return new Date(now.getTime() - ms)
}

/** An upload that began `minute` minutes after `now`. By default its id says when. */
function begun(minute: number, id = `begun at ${minute}`) {
  return { id, createdAt: new Date(now.getTime() + minute * minuteInMs) }
}

describe('the slots of a limit of three', () => {
  const [first, second, third, fourth] = [begun(1), begun(2), begun(3), begun(4)] as const
  const twin = begun(1, 'begun at 1, too')

  it.each([
    ['are free without files', 0, [], [first, second, third], [first, second, third]],
    ['count each file that a batch makes', 1, [], [first, second, third], [first, second]],
    ['are gone with the third file', 3, [], [first], []],
    ['stay gone above the limit', 4, [], [first], []],
    ['are held by uploads that began later', 1, [second, third], [first], []],
    ['are not held by uploads that began earlier', 2, [first, second], [third], [third]],
    ['are not held by the upload itself', 2, [first], [first], [first]],
    [
      'go once to an upload that was active',
      0,
      [first, second, third],
      [third, second],
      [third, second],
    ],
    ['go to the greater id of two that began at once', 2, [first, twin], [first, twin], [twin]],
    ['let nobody in for one that was refused', 2, [fourth], [first, second], []],
  ])('%s', (_, files, uploads, confirmed, taken) => {
    const divided = divideSlots(confirmed, { files, uploads }, () => 3)
    expect([...divided.taken]).toEqual(taken)
    expect([...divided.refused]).toEqual(confirmed.filter((upload) => !taken.includes(upload)))
  })

  it('go to the uploads that began last, in whatever order they are confirmed', () => {
    const anyUploads = fc.uniqueArray(fc.tuple(fc.nat(3), fc.nat(99)), {
      selector: ([, id]) => id,
      maxLength: 8,
    })
    fc.assert(
      fc.property(
        anyUploads,
        fc.nat(4),
        fc.nat(6),
        fc.infiniteStream(fc.nat(99)),
        (facts, files, most, ranks) => {
          const active = facts.map(([minute, id]) => begun(minute, `id ${100 + id}`))
          const order = new Map(active.map((upload) => [upload, ranks.next().value]))
          const shuffled = active.toSorted((a, b) => (order.get(a) ?? 0) - (order.get(b) ?? 0))
          const newestFirst = active.toSorted(
            (a, b) => b.createdAt.getTime() - a.createdAt.getTime() || (a.id < b.id ? 1 : -1),
          )
          const { taken } = divideSlots(shuffled, { files, uploads: active }, () => most)
          expect(taken).toEqual(new Set(newestFirst.slice(0, Math.max(0, most - files))))
        },
      ),
    )
  })

  it('are each counted by the limit of the upload that asks', () => {
    const most = new Map([
      [first, 2],
      [second, null],
      [third, 4],
    ])
    const { taken } = divideSlots(
      [first, second, third],
      { files: 2, uploads: [] },
      (upload) => most.get(upload) ?? null,
    )
    expect([...taken]).toEqual([second, third])
  })
})

describe('how many files there may be after an upload', () => {
  it.each([
    ['the tier allows now', 'free', 3, 'premium', 5, 5],
    ['the tier allows now, to an upload from before limits were noted', null, 9, 'free', 3, 3],
    ['the upload was started under, if that is more', 'free', 4, 'free', 3, 4],
    ['the tier allows now, if that is more', 'free', 2, 'free', 3, 3],
    ['no limit allows: there was none', 'free', null, 'free', 3, null],
    ['no limit allows: there is none now', 'free', 3, 'free', null, null],
  ] as const)('is what %s', (_, tier, maxFiles, tierNow, mostNow, expected) => {
    const limits = {
      ...defaultLimits,
      [tierNow]: { ...defaultLimits[tierNow], maxFiles: mostNow },
    }
    expect(maxFilesOf({ tier, maxFiles }, tierNow, limits)).toBe(expected)
  })
})

describe('slots in the database', () => {
  let server: FreshDatabase
  beforeAll(async () => {
    server = await openFreshDatabase()
  })
  afterAll(() => server.close())

  let people = 0
  const makeOwner = async (facts: Partial<typeof users.$inferInsert> = {}): Promise<string> => {
    people += 1
    const id = `owner ${people}`
    const email = `${people}@example.org`
    await server.db
      .insert(users)
      .values({ id, email, name: id, createdAt: now, updatedAt: now, ...facts })
    return id
  }

  const start = async (ownerId: string, lastActivityAt = now): Promise<Upload> => {
    const facts = { originalName: 'a.txt', mimeType: 'text/plain', size: 1, expirationDays: 3 }
    const [upload] = await server.db
      .insert(uploads)
      .values({
        ...facts,
        ownerId,
        storage: 'disk',
        storageKey: newStorageKey(),
        tier: 'free',
        maxFiles: 1,
        createdAt: lastActivityAt,
        lastActivityAt,
      })
      .returning()
    if (!upload) throw new Error('no upload was started')
    return upload
  }

  const oneFile = { ...defaultLimits, free: { ...defaultLimits.free, maxFiles: 1 } }

  const take = async (ownerId: string, asked: readonly Upload[]) => {
    const { taken, refused, refusal } = await server.db.transaction((tx) =>
      takeSlots(tx, ownerId, asked, oneFile, now),
    )
    return { taken: [...taken], refused: [...refused], code: refusal.code }
  }

  it('are held by uploads of which bytes came in the last 15 minutes', async () => {
    const owner = await makeOwner()
    const asked = await start(owner, ago(slotHeldMs + 1))
    const other = await start(owner, ago(slotHeldMs))
    expect(await take(owner, [asked])).toMatchObject({ taken: [asked], refused: [] })
    const lastActivityAt = ago(slotHeldMs - 1)
    await server.db.update(uploads).set({ lastActivityAt }).where(eq(uploads.id, other.id))
    expect(await take(owner, [asked])).toEqual({
      taken: [],
      refused: [asked],
      code: 'TIER_FILE_COUNT',
    })
  })

  it('are neither given nor refused to what ended, began anew or is of somebody else', async () => {
    const [owner, stranger] = [await makeOwner(), await makeOwner()]
    const [ended, restarted, left] = [await start(owner), await start(owner), await start(owner)]
    const foreign = await start(stranger)
    await endUploadsOf(server.db, owner, [ended.storageKey], now)
    await restartUpload(server.db, restarted.id, now)
    await server.db.update(uploads).set({ lastActivityAt: ago(slotHeldMs) })
    const asked = [ended, restarted, foreign, left]
    expect(await take(owner, asked)).toMatchObject({ taken: [left], refused: [] })
  })

  it('are those of the tier at this moment: a trial that ends now is over', async () => {
    const trial = { tier: 'premium', premiumTrialStartedAt: ago(minuteInMs) } as const
    const [over, runs] = [
      await makeOwner({ ...trial, premiumTrialEndsAt: now }),
      await makeOwner({ ...trial, premiumTrialEndsAt: new Date(now.getTime() + 1) }),
    ]
    const [first, second] = [await start(over, ago(1)), await start(over)]
    expect(await take(over, [first, second])).toMatchObject({ taken: [second], refused: [first] })
    const [one, two] = [await start(runs, ago(1)), await start(runs)]
    expect(await take(runs, [one, two])).toMatchObject({ taken: [one, two], refused: [] })
  })

  it('are of no use to an owner who is gone', async () => {
    await expect(take('nobody', [])).rejects.toMatchObject({ code: 'UNAUTHORIZED' })
  })
})
