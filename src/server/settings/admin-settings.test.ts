import { expect, it } from 'vitest'
import { testClock } from '../../../tests/support/test-clock.ts'
import type { Db } from '../db/transaction.ts'
import { AdminSettings } from './admin-settings.ts'

type SettingRows = { key: string; value: string; description: string }[]

/** A fake database whose queries stay pending until the test resolves them, in any order. */
function createSlowDatabase() {
  const resolvers: ((freeSpace: string) => void)[] = []
  const query = () =>
    new Promise<SettingRows>((resolve) => {
      resolvers.push((value) => resolve([{ key: 'free_space', value, description: '' }]))
    })
  const db = { select: () => ({ from: () => ({ where: query }) }) } as unknown as Db
  return { db, answers: resolvers }
}

function makeSettings(db: Db) {
  const caps: number[] = []
  const settings = new AdminSettings({
    db,
    clock: testClock(),
    supportEmail: 'help@example.org',
    onCap: ({ leastFree }) => void caps.push(leastFree),
  })
  return { settings, caps }
}

it("a slow read that started before a change doesn't restore the old cap", async () => {
  const { db, answers: resolvers } = createSlowDatabase()
  const { settings, caps } = makeSettings(db)
  const earlierReadPromise = settings.read()
  settings.clearCache()
  const laterReadPromise = settings.read()
  resolvers[1]?.('2000')
  expect((await laterReadPromise).free_space).toBe('2000')
  resolvers[0]?.('1000')
  await earlierReadPromise
  expect(caps).toEqual([2000])
  expect((await settings.read()).free_space).toBe('2000')
  expect(resolvers).toHaveLength(2)
})

it('a slow read sets no cap if a setting changes in the meantime', async () => {
  const { db, answers: resolvers } = createSlowDatabase()
  const { settings, caps } = makeSettings(db)
  const earlierReadPromise = settings.read()
  settings.clearCache()
  resolvers[0]?.('1000')
  await earlierReadPromise
  expect(caps).toEqual([])
})

it('parallel calls share one database query', async () => {
  const { db, answers: resolvers } = createSlowDatabase()
  const { settings, caps } = makeSettings(db)
  const readsPromise = Promise.all([settings.read(), settings.limits()])
  resolvers[0]?.('3000')
  await readsPromise
  expect(resolvers).toHaveLength(1)
  expect(caps).toEqual([3000])
})

it('a read for the administrator bypasses the cache', async () => {
  const { db, answers: resolvers } = createSlowDatabase()
  const { settings, caps } = makeSettings(db)
  const firstReadPromise = settings.read()
  resolvers[0]?.('1000')
  await firstReadPromise
  const freshReadPromise = settings.readNow()
  resolvers[1]?.('2000')
  expect((await freshReadPromise).values.free_space).toBe('2000')
  expect((await settings.read()).free_space).toBe('2000')
  expect(caps).toEqual([1000, 2000])
})
