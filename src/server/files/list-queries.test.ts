import { eq, sql } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { updateFiles } from '../../../tests/support/file-rows.ts'
import { json, makeFile, makePerson, type Person } from '../../../tests/support/make.ts'
import { insertFiles } from '../../../tests/support/many-files.ts'
import { queryPlansOf } from '../../../tests/support/query-plans.ts'
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts'
import type { File, FileCounts } from '../../shared/contract/files.ts'
import { linkStatus } from '../../shared/rules/links/link-status.ts'
import { tiers } from '../../shared/rules/tiers/tier.ts'
import { files, users } from '../db/schema.ts'

const hour = 60 * 60_000
const day = 24 * hour

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app.close())

/** Reads a list page by page. Returns the names on each page. */
async function readPages(person: Person, query: Record<string, string>) {
  const namesByPage: string[][] = []
  let cursor: string | null = null
  do {
    const params = new URLSearchParams({ ...query, ...(cursor !== null && { cursor }) })
    const response = await person.fetch(`/api/files?${params}`)
    namesByPage.push((await json<File[]>(response)).map(({ originalName }) => originalName))
    cursor = response.headers.get('x-next-cursor')
  } while (cursor !== null)
  return namesByPage
}

describe('a list of thousands of files', () => {
  it('returns a thousand per page by default, and all files through its cursors', async () => {
    const ada = await makePerson(app, { tier: 'premium' })
    await insertFiles(app, ada.id, 2300)
    const namesByPage = await readPages(ada, {})
    expect(namesByPage.map((page) => page.length)).toEqual([1000, 1000, 300])
    const expectedNames = Array.from(
      { length: 2300 },
      (_, n) => `Report ${n + 1} of the working group.pdf`,
    )
    expect(namesByPage.flat()).toEqual(expectedNames)
    expect((await readPages(ada, { limit: '800' })).map((page) => page.length)).toEqual([
      800, 800, 700,
    ])
  })

  it('shows each remaining file exactly once, even if files are added and deleted between pages', async () => {
    const ada = await makePerson(app, { tier: 'premium' })
    await insertFiles(app, ada.id, 50)
    const firstResponse = await ada.fetch('/api/files?limit=20')
    const shownIds = (await json<File[]>(firstResponse)).map(({ id }) => id)
    await makeFile(ada, { name: 'new.txt' })
    for (const id of [shownIds[3], shownIds[19]]) {
      await ada.fetch(`/api/files/${id}`, { method: 'DELETE' })
    }
    const cursor = firstResponse.headers.get('x-next-cursor') ?? ''
    const remainingFiles = await json<File[]>(
      await ada.fetch(`/api/files?limit=100&cursor=${cursor}`),
    )
    expect(remainingFiles.map(({ originalName }) => originalName)).toEqual(
      Array.from({ length: 30 }, (_, n) => `Report ${n + 21} of the working group.pdf`),
    )
  })
})

describe('GET /api/files/summary', () => {
  it.each(tiers)('agrees with linkStatus: %s', async (tier) => {
    const ada = await makePerson(app, { tier: 'premium' })
    const now = app.clock()
    const expectedCounts: FileCounts['files'] = { active: 0, private: 0, deleted: 0 }
    for (const age of [0, 3 * day - 1, 3 * day, 29 * day, 30 * day - 1, 30 * day]) {
      for (const purgingAt of [null, now]) {
        const { id } = await makeFile(ada)
        const dates = {
          expiresAt: new Date(now.getTime() - age + 3 * day),
          maxLifetimeAt: new Date(now.getTime() - age + 30 * day),
        }
        await updateFiles(app.deps.db, eq(files.id, id), { ...dates, purgingAt })
        expectedCounts[linkStatus({ ...dates, purgingAt }, tier, now)] += 1
      }
    }
    const deletedFile = await makeFile(ada)
    await ada.fetch(`/api/files/${deletedFile.id}`, { method: 'DELETE' })
    await app.deps.db.update(users).set({ tier }).where(eq(users.id, ada.id))
    expect(await json(await ada.fetch('/api/files/summary'))).toEqual({
      files: expectedCounts,
      links: expectedCounts,
    })
  })

  it("returns zeros for a user without files, and ignores other users' files", async () => {
    const ada = await makePerson(app)
    const zeroCounts = { active: 0, private: 0, deleted: 0 }
    expect(await json(await ada.fetch('/api/files/summary'))).toEqual({
      files: zeroCounts,
      links: zeroCounts,
    })
  })
})

describe('the query plan of the list, with thousands of files', () => {
  let ada: Person
  beforeAll(async () => {
    ada = await makePerson(app, { tier: 'premium' })
    await insertFiles(app, ada.id, 2000)
    await insertFiles(app, (await makePerson(app)).id, 4000)
    await app.deps.db.execute(sql`vacuum analyze files, links`)
  })

  const plansOfList = async (work: () => Promise<unknown>) => {
    const plans = await queryPlansOf(app.pool, work)
    return plans.filter((plan) => /\bfrom "files"/.test(plan))
  }

  it.each([
    ['the first page', '/api/files?limit=100', 'Index Scan Backward using files_of_owner'],
    ['a list without a limit', '/api/files', 'Index Scan Backward using files_of_owner'],
    ['the summary', '/api/files/summary', 'Index Only Scan using links_of_owner_by_end'],
  ])('for %s reads no other rows', async (_, path, expectedScan) => {
    const plans = await plansOfList(() => ada.fetch(path))
    expect(plans).toHaveLength(1)
    expect(plans[0]).toContain(expectedScan)
    expect(plans[0]).not.toContain('Seq Scan')
  })

  it('uses the same index for later pages', async () => {
    const { headers } = await ada.fetch('/api/files?limit=1000')
    const nextPath = `/api/files?limit=100&cursor=${headers.get('x-next-cursor')}`
    const plans = await plansOfList(async () => {
      // From its sixth execution on, a prepared statement may get a generic plan.
      for (let run = 0; run < 7; run += 1) await ada.fetch(nextPath)
    })
    expect(plans).toHaveLength(7)
    for (const plan of plans) {
      expect(plan).toMatch(
        /Backward using files_of_owner .*\n.*Index Cond: .*ROW\(created_at, id\) </,
      )
    }
  })
})
