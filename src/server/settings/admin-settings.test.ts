import { expect, it } from 'vitest'
import { testClock } from '../../../tests/support/test-clock.ts'
import type { Db } from '../db/transaction.ts'
import { AdminSettings } from './admin-settings.ts'

type Rows = { key: string; value: string; description: string }[]

/** A fake database whose queries resolve when, and in the order in which, the test answers them. */
function slowDatabase() {
  const answers: ((freeSpace: string) => void)[] = []
  const read = () =>
    new Promise<Rows>((resolve) => {
      answers.push((value) => resolve([{ key: 'free_space', value, description: '' }]))
    })
  const db = { select: () => ({ from: () => ({ where: read }) }) } as unknown as Db
  return { db, answers }
}

function settingsOf(db: Db) {
  const caps: number[] = []
  const settings = new AdminSettings({
    db,
    clock: testClock(),
    supportEmail: 'help@example.org',
    onCap: ({ leastFree }) => void caps.push(leastFree),
  })
  return { settings, caps }
}

it("a slow read from before a change doesn't restore an old cap", async () => {
  const { db, answers } = slowDatabase()
  const { settings, caps } = settingsOf(db)
  const before = settings.read()
  settings.forget()
  const after = settings.read()
  answers[1]?.('2000')
  expect((await after).free_space).toBe('2000')
  answers[0]?.('1000')
  await before
  expect(caps).toEqual([2000])
  expect((await settings.read()).free_space).toBe('2000')
  expect(answers).toHaveLength(2)
})

it('a slow read overtaken by a change sets no cap', async () => {
  const { db, answers } = slowDatabase()
  const { settings, caps } = settingsOf(db)
  const before = settings.read()
  settings.forget()
  answers[0]?.('1000')
  await before
  expect(caps).toEqual([])
})

it('parallel calls share one read', async () => {
  const { db, answers } = slowDatabase()
  const { settings, caps } = settingsOf(db)
  const both = Promise.all([settings.read(), settings.limits()])
  answers[0]?.('3000')
  await both
  expect(answers).toHaveLength(1)
  expect(caps).toEqual([3000])
})

it('a read for the administrator bypasses the cache', async () => {
  const { db, answers } = slowDatabase()
  const { settings, caps } = settingsOf(db)
  const first = settings.read()
  answers[0]?.('1000')
  await first
  const now = settings.readNow()
  answers[1]?.('2000')
  expect((await now).values.free_space).toBe('2000')
  expect((await settings.read()).free_space).toBe('2000')
  expect(caps).toEqual([1000, 2000])
})
