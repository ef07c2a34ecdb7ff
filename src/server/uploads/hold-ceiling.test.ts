import { pino } from 'pino'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { manyFiles } from '../../../tests/support/many-files.ts'
import {
  type FreshDatabase,
  openFreshDatabase,
} from '../../../tests/support/open-fresh-database.ts'
import { slotHeldMs } from '../../shared/rules/files/kept-times.ts'
import { files, removals, uploads, users } from '../db/schema.ts'
import type { Storage } from '../storage/storage.ts'
import { newStorageKey } from '../storage/storage-key.ts'
import { createStores } from '../storage/stores.ts'
import { holdToAccountCeiling, holdToCap, holdToInstanceCeiling } from './hold-ceiling.ts'
import type { Upload } from './queries.ts'
import { leastUnfinishedBytes } from './upload-ceilings.ts'

const mebibyte = 1024 ** 2
const gibibyte = 1024 * mebibyte
const now = new Date('2026-03-01T12:00:00Z')
const idle = slotHeldMs + 1

let server: FreshDatabase
/** The keys whose bytes the store was told to remove. */
let removed: string[]
beforeAll(async () => {
  server = await openFreshDatabase()
  const people = ['ada', 'bob'].map((id) => ({ id, name: id, email: `${id}@example.org` }))
  const dates = { createdAt: now, updatedAt: now }
  await server.db.insert(users).values(people.map((person) => ({ ...person, ...dates })))
  removed = []
})
afterEach(async () => {
  await server.db.delete(uploads)
  await server.db.delete(files)
  await server.db.delete(removals)
  removed = []
})
afterAll(() => server.close())

function deps() {
  const store: Partial<Storage> = {
    name: 'disk',
    remove: async (key) => void removed.push(key),
    syncRemovals: async () => {},
    storedSize: async () => null,
  }
  return {
    clock: () => now,
    db: server.db,
    log: pino({ level: 'silent' }),
    stores: createStores(store as Storage),
  }
}

/** Inserts the row of an upload, as the start of an upload does before it counts. */
async function start(size: number, idleMs = 0, ownerId = 'ada'): Promise<Upload> {
  const lastActivityAt = new Date(now.getTime() - idleMs)
  const [upload] = await server.db
    .insert(uploads)
    .values({
      ownerId,
      storage: 'disk',
      storageKey: newStorageKey(),
      originalName: 'a.txt',
      mimeType: 'text/plain',
      size,
      expirationDays: 3,
      createdAt: lastActivityAt,
      lastActivityAt,
    })
    .returning()
  if (!upload) throw new Error('nothing was inserted')
  return upload
}

async function startAll(...sizes: number[]): Promise<Upload[]> {
  const started = []
  for (const size of sizes) started.push(await start(size))
  return started
}

/** Returns the keys of the uploads that are open. */
async function openKeys(): Promise<string[]> {
  const rows = await server.db.select({ key: uploads.storageKey }).from(uploads)
  return rows.map(({ key }) => key)
}

describe('the ceiling of an account', () => {
  const ceiling = 100 * mebibyte
  const hold = (started: readonly Upload[], { bytes = ceiling, unfinished = 0 } = {}) =>
    holdToAccountCeiling(
      deps(),
      started.map((upload) => ({ ...upload, unfinished })),
      bytes,
    )

  it('is reached by the last byte, and refuses one more, which leaves no row', async () => {
    await start(40 * mebibyte)
    const [fits] = await startAll(60 * mebibyte)
    expect(await hold([fits as Upload])).toEqual([])
    const [refused] = await startAll(8 * mebibyte)
    expect(await hold([refused as Upload])).toMatchObject([{ id: refused?.id }])
    expect(await openKeys()).not.toContain(refused?.storageKey)
    expect(await openKeys()).toHaveLength(2)
  })

  it('refuses what does not fit, and takes what comes after it and fits', async () => {
    await start(50 * mebibyte)
    const [first, second, third] = await startAll(30 * mebibyte, 30 * mebibyte, 20 * mebibyte)
    const all = [first, second, third] as Upload[]
    expect(await hold(all)).toMatchObject([{ id: second?.id }])
    expect(await openKeys()).toContain(third?.storageKey)
  })

  it('ends idle uploads until it fits, ten at a time, the longest idle first', async () => {
    const old = []
    for (let age = 12; age > 0; age -= 1) old.push(await start(8 * mebibyte, idle + age))
    const [fits] = await startAll(16 * mebibyte)
    expect(await hold([fits as Upload])).toEqual([])
    const longest = old.slice(0, 10).map(({ storageKey }) => storageKey)
    expect(new Set(removed)).toEqual(new Set(longest))
    expect(await openKeys()).toHaveLength(3)
    expect(await server.db.$count(removals)).toBe(0)
  })

  it('ends nothing where even that would be too little', async () => {
    await start(30 * mebibyte, idle)
    await start(60 * mebibyte)
    const [refused] = await startAll(41 * mebibyte)
    expect(await hold([refused as Upload])).toHaveLength(1)
    expect([removed, (await openKeys()).length]).toEqual([[], 2])
  })

  it.each([
    [slotHeldMs, 1],
    [slotHeldMs + 1, 0],
  ])('counts an upload as idle after 15 minutes: %i ms, %i refused', async (idleMs, refused) => {
    await start(90 * mebibyte, idleMs)
    expect(await hold(await startAll(20 * mebibyte))).toHaveLength(refused)
  })

  it('is not that of another account, whose idle uploads stay', async () => {
    await start(90 * mebibyte, idle, 'bob')
    const started = await startAll(90 * mebibyte, 20 * mebibyte)
    expect(await hold(started)).toMatchObject([{ size: 20 * mebibyte }])
    expect(removed).toEqual([])
  })

  it('ends idle uploads of its own, though those of another account are idle for longer', async () => {
    await start(90 * mebibyte, idle + 1, 'bob')
    const own = await start(90 * mebibyte, idle)
    expect(await hold(await startAll(20 * mebibyte))).toEqual([])
    expect(removed).toEqual([own.storageKey])
  })

  it('counts each upload as one part at least', async () => {
    const tiny = await startAll(...Array<number>(13).fill(1))
    expect(await hold(tiny)).toMatchObject([{ id: tiny.at(-1)?.id }])
  })

  describe('for small uploads', () => {
    const bytes = 16 * gibibyte

    it('believes what was read at the start, up to the half', async () => {
      await start(bytes)
      const small = await startAll(1)
      const unfinished = bytes / 2 - leastUnfinishedBytes
      expect(await hold(small, { bytes, unfinished })).toEqual([])
      expect(await hold(small, { bytes, unfinished: unfinished + 1 })).toHaveLength(1)
    })

    it('counts again where many start together', async () => {
      await start(bytes)
      const three = await startAll(1, 1, 1)
      expect(await hold(three, { bytes })).toHaveLength(3)
    })
  })

  it('has nothing to do without uploads', async () => {
    expect(await hold([])).toEqual([])
  })
})

describe('the ceiling of all accounts', () => {
  const bytes = 100 * mebibyte
  const hold = (started: readonly Upload[], total: number) =>
    holdToInstanceCeiling(deps(), started, total, bytes)

  it('is not counted up to the half of it, by the estimate', async () => {
    const started = await startAll(101 * mebibyte)
    expect(await hold(started, bytes / 2)).toEqual([])
    expect(await hold(started, bytes / 2 + 1)).toHaveLength(1)
  })

  it('ends idle uploads of anybody', async () => {
    const other = await start(90 * mebibyte, idle, 'bob')
    expect(await hold(await startAll(20 * mebibyte), bytes)).toEqual([])
    expect(removed).toEqual([other.storageKey])
  })

  it('is filled by others: what is active stays', async () => {
    await start(90 * mebibyte, 0, 'bob')
    expect(await hold(await startAll(20 * mebibyte), bytes)).toHaveLength(1)
    expect(removed).toEqual([])
  })
})

describe('the cap of the administrator', () => {
  const hold = (started: readonly Upload[], cap: number | null) => holdToCap(deps(), started, cap)

  it('counts files and uploads by their bytes, to the last one', async () => {
    // Three files, of 6000 bytes together.
    await server.pool.query(manyFiles('bob', 3, now))
    await start(1000, 0, 'bob')
    const started = await startAll(500)
    expect(await hold(started, 7500)).toEqual([])
    expect(await hold(started, 7499)).toHaveLength(1)
  })

  it('ends idle uploads of anybody', async () => {
    const other = await start(1000, idle, 'bob')
    expect(await hold(await startAll(500), 1499)).toEqual([])
    expect(removed).toEqual([other.storageKey])
  })

  it('takes of a batch what fits, each by its own bytes', async () => {
    const [, second] = await startAll(500, 600, 400)
    const batch = await server.db.select().from(uploads).orderBy(uploads.size)
    const [small, middle, large] = batch as [Upload, Upload, Upload]
    expect(await hold([middle, large, small], 1000)).toMatchObject([{ id: second?.id }])
  })

  it('may be none', async () => {
    expect(await hold(await startAll(500), null)).toEqual([])
  })

  it('leaves to other calls what they have too much', async () => {
    const [mine, other] = await startAll(500, 500)
    expect(await hold([mine as Upload], 400)).toMatchObject([{ id: mine?.id }])
    expect(await openKeys()).toEqual([other?.storageKey])
  })
})
