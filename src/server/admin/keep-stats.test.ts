import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { json, makeFile, makePerson, type Person } from '../../../tests/support/make.ts'
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts'
import type { ListedUser } from '../../shared/contract/admin.ts'
import { files } from '../db/schema.ts'
import { keepStats } from './keep-stats.ts'

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
      app.clock.advance(minute)
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

  it('are counted once a minute at most', async () => {
    app.clock.advance(minute)
    const before = await stats()
    await makePerson(app)
    app.clock.advance(minute - 1)
    expect(await stats()).toEqual(before)
    app.clock.advance(1)
    expect(await stats()).toEqual({ ...before, totalUsers: before.totalUsers + 1 })
  })

  it('are counted anew after an act of the administrator', async () => {
    const { totalUsers, premiumUsers } = await stats()
    const person = await makePerson(app)
    await admin.post(`/api/admin/toggle-user-tier/${person.id}`, { tier: 'premium' })
    expect(await stats()).toMatchObject({
      totalUsers: totalUsers + 1,
      premiumUsers: premiumUsers + 1,
    })
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
