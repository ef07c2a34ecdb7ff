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
import { dayInMs } from '../../shared/rules/format/units.ts'
import { files } from '../db/schema.ts'
import { expireFiles } from '../files/expire-files.ts'

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

async function fetchStats(): Promise<Stats> {
  return json(await admin.fetch('/api/admin/stats'))
}

describe('the server-wide figures', () => {
  it('equal the sums over all users, even after a file is deleted', async () => {
    const owner = await makePerson(app)
    const [keptFile, deletedFile] = [await makeFile(owner), await makeFile(owner)]
    for (const [id, downloadCount] of [
      [keptFile.id, 3],
      [deletedFile.id, 40],
    ] as const) {
      await app.deps.db.update(files).set({ downloadCount }).where(eq(files.id, id))
    }
    const expectTotals = async (fileCount: number, totalDownloads: number) => {
      const listedUsers = await json<ListedUser[]>(
        await admin.fetch(`/api/admin/users?search=${owner.email}`),
      )
      expect(listedUsers).toMatchObject([{ fileCount, totalDownloads }])
      expect(await fetchStats()).toMatchObject({ totalFiles: fileCount, totalDownloads })
    }
    await expectTotals(2, 43)
    // The file's row is kept until its bytes are removed, but no longer counts.
    await owner.fetch(`/api/files/${deletedFile.id}`, { method: 'DELETE' })
    await expectTotals(1, 3)
  })

  it('include expired and taken-down files, like the list of users and the owner’s list', async () => {
    const statsBefore = await fetchStats()
    const owner = await makePerson(app)
    const [takenDownFile] = [await makeFile(owner), await makeFile(owner)]
    const reason = 'Malware.'
    await admin.post('/api/admin/takedown', { shortCode: takenDownFile.shortCode, reason })
    app.clock.advance(4 * dayInMs)
    await expireFiles(app.deps)
    const administrator = makeClient(app, await logIn(app, admin.email, admin.password))
    const ownerClient = makeClient(app, await logIn(app, owner.email, owner.password))
    const response = await administrator.fetch(`/api/admin/users?search=${owner.email}`)
    expect(await json(response)).toMatchObject([{ fileCount: 2, storedBytes: 0 }])
    expect(await json(await ownerClient.fetch('/api/files'))).toHaveLength(2)
    expect(await json(await administrator.fetch('/api/admin/stats'))).toMatchObject({
      totalFiles: statsBefore.totalFiles + 2,
    })
  })
})
