import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  json,
  logIn,
  makeClient,
  makeFile,
  makePerson,
  type Person,
} from '../../../tests/support/make.ts'
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts'
import type { ListedUser } from '../../shared/contract/admin.ts'
import { files } from '../db/schema.ts'
import { expireFiles } from '../files/expire-files.ts'
import { keepStats } from './keep-stats.ts'
import { readStats } from './user-queries.ts'

const minute = 60_000

let app: TestApp
let admin: Person
beforeAll(async () => {
  app = await startTestApp()
  admin = await makePerson(app, { role: 'admin' })
})
afterAll(() => app.close())

interface Stats {
  totalUsers: number
  premiumUsers: number
  totalFiles: number
  totalDownloads: number
}

/** Returns a count that takes so long by the clock of the server. */
function countsThatTake(ms: number): typeof readStats {
  return async (...args) => {
    app.clock.advance(ms)
    return readStats(...args)
  }
}

async function stats(): Promise<Stats> {
  return json(await admin.fetch('/api/admin/stats'))
}

describe('the figures of the whole server', () => {
  it('are the sums of those of the users, also once a file is deleted', async () => {
    const owner = await makePerson(app)
    const [kept, gone] = [await makeFile(owner), await makeFile(owner)]
    for (const [id, downloadCount] of [
      [kept.id, 3],
      [gone.id, 40],
    ] as const) {
      await app.deps.db.update(files).set({ downloadCount }).where(eq(files.id, id))
    }
    const expectAgreement = async (fileCount: number, totalDownloads: number) => {
      const listed = await json<ListedUser[]>(
        await admin.fetch(`/api/admin/users?search=${owner.email}`),
      )
      expect(listed).toMatchObject([{ fileCount, totalDownloads }])
      expect(await stats()).toMatchObject({ totalFiles: fileCount, totalDownloads })
    }
    await expectAgreement(2, 43)
    // Its row stays until its bytes are gone.
    await owner.fetch(`/api/files/${gone.id}`, { method: 'DELETE' })
    await expectAgreement(1, 3)
  })

  it('hold a file that is over or was taken down, as the list of users and its owner’s list do', async () => {
    const before = await stats()
    const owner = await makePerson(app)
    const [taken] = [await makeFile(owner), await makeFile(owner)]
    const reason = 'Malware.'
    await admin.post('/api/admin/takedown', { shortCode: taken.shortCode, reason })
    app.clock.advance(4 * 24 * 60 * minute)
    await expireFiles(app.deps)
    const chief = makeClient(app, await logIn(app, admin.email, admin.password))
    const self = makeClient(app, await logIn(app, owner.email, owner.password))
    const listed = await chief.fetch(`/api/admin/users?search=${owner.email}`)
    expect(await json(listed)).toMatchObject([{ fileCount: 2, storedBytes: 0 }])
    expect(await json(await self.fetch('/api/files'))).toHaveLength(2)
    expect(await json(await chief.fetch('/api/admin/stats'))).toMatchObject({
      totalFiles: before.totalFiles + 2,
    })
  })

  it('show a signup, an upload and a deletion at once, as long as counting is quick', async () => {
    const before = await stats()
    const person = await makePerson(app)
    expect(await stats()).toEqual({ ...before, totalUsers: before.totalUsers + 1 })
    const { id } = await makeFile(person)
    expect(await stats()).toMatchObject({ totalFiles: before.totalFiles + 1 })
    await person.fetch(`/api/files/${id}`, { method: 'DELETE' })
    expect(await stats()).toMatchObject({ totalFiles: before.totalFiles })
  })

  it.each([
    [19, 0],
    [20, 1000],
    [1000, 50_000],
    [1200, minute],
    [30_000, minute],
  ])('that took %i ms to count are kept for %i ms', async (countMs, keptMs) => {
    const current = keepStats(app.deps, countsThatTake(countMs))
    const { totalUsers } = await current(admin.id)
    await makePerson(app)
    if (keptMs > 0) {
      app.clock.advance(keptMs - 1)
      expect(await current(admin.id)).toMatchObject({ totalUsers })
      app.clock.advance(1)
    }
    expect(await current(admin.id)).toMatchObject({ totalUsers: totalUsers + 1 })
  })

  it('are not kept for ever by a clock that is set back', async () => {
    const current = keepStats(app.deps, countsThatTake(minute))
    const { totalUsers } = await current(admin.id)
    await makePerson(app)
    app.clock.advance(-minute)
    expect(await current(admin.id)).toMatchObject({ totalUsers: totalUsers + 1 })
  })

  it('are counted anew after an act of the administrator, however long that takes', async () => {
    const current = keepStats(app.deps, countsThatTake(minute))
    const { totalUsers, premiumUsers } = await current(admin.id)
    const person = await makePerson(app)
    await admin.post(`/api/admin/toggle-user-tier/${person.id}`, { tier: 'premium' })
    expect(await current(admin.id)).toMatchObject({
      totalUsers: totalUsers + 1,
      premiumUsers: premiumUsers + 1,
    })
  })

  it('are counted twice for all who ask during a count: what began before may miss something', async () => {
    const counts: PromiseWithResolvers<Stats>[] = []
    const current = keepStats(app.deps, () => {
      const count = Promise.withResolvers<Stats>()
      counts.push(count)
      return count.promise
    })
    const figures = { totalUsers: 1, premiumUsers: 0, totalFiles: 2, totalDownloads: 3 }
    const first = current(admin.id)
    await expect.poll(() => counts.length).toBe(1)
    const others = Promise.all(Array.from({ length: 5 }, () => current(admin.id)))
    counts[0]?.resolve(figures)
    expect(await first).toEqual(figures)
    await expect.poll(() => counts.length).toBe(2)
    const later = { ...figures, totalUsers: 2 }
    counts[1]?.resolve(later)
    expect(await others).toEqual(Array(5).fill(later))
    expect(counts).toHaveLength(2)
  })

  it('are counted once for all who ask meanwhile, and again after a failure', async () => {
    const counts: PromiseWithResolvers<Stats>[] = []
    const current = keepStats(app.deps, () => {
      const count = Promise.withResolvers<Stats>()
      counts.push(count)
      return count.promise
    })
    const ask = () => Promise.allSettled(Array.from({ length: 5 }, () => current(admin.id)))
    const figures = { totalUsers: 1, premiumUsers: 0, totalFiles: 2, totalDownloads: 3 }

    const failed = current(admin.id)
    await expect.poll(() => counts.length).toBe(1)
    counts[0]?.reject(new Error('the database is away'))
    await expect(failed).rejects.toThrow('the database is away')

    const asked = ask()
    await expect.poll(() => counts.length).toBe(2)
    counts[1]?.resolve(figures)
    expect(await asked).toEqual(Array(5).fill({ status: 'fulfilled', value: figures }))
    expect(counts).toHaveLength(2)
  })
})
