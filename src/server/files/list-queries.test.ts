import { eq, sql } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { updateFiles } from '../../../tests/support/file-rows.ts'
import { json, makeFile, makePerson, type Person } from '../../../tests/support/make.ts'
import { insertFiles } from '../../../tests/support/many-files.ts'
import { queryPlansOf } from '../../../tests/support/query-plans.ts'
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts'
import type { File, FileCounts } from '../../shared/contract/files.ts'
import {
  type FileOrder,
  fileOrderTexts,
  parseOrder,
  type SortKey,
} from '../../shared/rules/files/file-order.ts'
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

async function listNames(person: Person, query: Record<string, string>) {
  const response = await person.fetch(`/api/files?${new URLSearchParams(query)}`)
  expect(response.status).toBe(200)
  return (await json<File[]>(response)).map(({ originalName }) => originalName)
}

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

describe('links that expire soon', () => {
  it('match the analytics, in every order, with search and paging', async () => {
    const ada = await makePerson(app, { tier: 'premium' })
    const now = app.clock().getTime()
    const expiryOffsets = { over: -1, now: 0, next: 1, today: 23 * hour, last: day - 1, later: day }
    for (const [name, remainingMs] of Object.entries(expiryOffsets)) {
      const { id } = await makeFile(ada, { name: `${name}.txt` })
      const expiresAt = new Date(now + remainingMs)
      await updateFiles(app.deps.db, eq(files.id, id), { expiresAt })
    }
    const deletedFile = await makeFile(ada, { name: 'deleted.txt' })
    await updateFiles(app.deps.db, eq(files.id, deletedFile.id), {
      expiresAt: new Date(now + hour),
    })
    await ada.fetch(`/api/files/${deletedFile.id}`, { method: 'DELETE' })
    const expectedNames = ['last.txt', 'next.txt', 'today.txt']
    for (const sort of fileOrderTexts) {
      const listedPages = await readPages(ada, { expiring: 'soon', sort, limit: '2' })
      expect([listedPages.flat().toSorted(), listedPages.length], sort).toEqual([expectedNames, 2])
    }
    expect(await listNames(ada, { expiring: 'soon', sort: 'name' })).toEqual(expectedNames)
    const foundNames = await listNames(ada, { expiring: 'soon', search: 'T.T' })
    expect(foundNames.toSorted()).toEqual(['last.txt', 'next.txt'])
    const analytics = await json<{ expiringSoon: number }>(await ada.fetch('/api/analytics'))
    expect(analytics.expiringSoon).toBe(expectedNames.length)
    expect((await ada.fetch('/api/files?expiring=late')).status).toBe(400)
  })
})

describe('a search', () => {
  let ada: Person
  beforeAll(async () => {
    ada = await makePerson(app, { tier: 'premium' })
    for (const name of [
      'Quarterly Report.pdf',
      '100%_sure.txt',
      '1000 sure.txt',
      'ÄPFEL Übersicht.xlsx',
      'تقرير الاجتماع.docx',
    ]) {
      app.clock.advance(1)
      await makeFile(ada, { name })
    }
    // File names are now cleaned before upload, but older versions may have stored names like this
    // one.
    await app.deps.db
      .update(files)
      .set({ originalName: 'back\\slash.txt' })
      .where(eq(files.originalName, '1000 sure.txt'))
  })

  it.each([
    ['report', ['Quarterly Report.pdf']],
    ['QUARTERLY', ['Quarterly Report.pdf']],
    ['rly rep', ['Quarterly Report.pdf']],
    ['  report ', ['Quarterly Report.pdf']],
    ['äpfel', ['ÄPFEL Übersicht.xlsx']],
    ['ÜBER', ['ÄPFEL Übersicht.xlsx']],
    ['A\u0308pfel', ['ÄPFEL Übersicht.xlsx']],
    ['تقرير', ['تقرير الاجتماع.docx']],
    ['%', ['100%_sure.txt']],
    ['_', ['100%_sure.txt']],
    ['0%', ['100%_sure.txt']],
    ['\\', ['back\\slash.txt']],
    ["' or 1=1 --", []],
    ['.pdf.txt', []],
    ['.txt', ['back\\slash.txt', '100%_sure.txt']],
  ])('for %j finds %j', async (search, expectedNames) => {
    expect(await listNames(ada, { search })).toEqual(expectedNames)
  })

  it.each(['', '   '])('for %j finds all files', async (search) => {
    expect(await listNames(ada, { search })).toHaveLength(5)
  })

  it.each(['search=%00', `search=${'x'.repeat(256)}`])('refuses ?%s', async (query) => {
    const response = await ada.fetch(`/api/files?${query}`)
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ code: 'INVALID_INPUT' })
  })

  it("is paged, and finds no deleted files and no other users' files", async () => {
    const [bob, eve] = [await makePerson(app, { tier: 'premium' }), await makePerson(app)]
    await insertFiles(app, bob.id, 300)
    await makeFile(eve, { name: 'Report 7 of the working group.pdf' })
    const [first = '', ...otherNames] = (
      await readPages(bob, { search: 'report 2', limit: '30' })
    ).flat()
    expect(first).toBe('Report 2 of the working group.pdf')
    expect(otherNames).toHaveLength(110)
    const [foundFile] = await json<File[]>(await bob.fetch('/api/files?search=report+299'))
    await bob.fetch(`/api/files/${foundFile?.id}`, { method: 'DELETE' })
    expect(await listNames(bob, { search: 'report 299' })).toEqual([])
  })
})

describe('the order of a list', () => {
  let ada: Person
  beforeAll(async () => {
    ada = await makePerson(app, { tier: 'premium' })
    await insertFiles(app, ada.id, 60)
    // Many files share a size and a download count, so some pages end between files that compare as
    // equal.
    await app.pool.query(
      `update files set size = size / 1000 % 4, download_count = (size / 1000 * 7 % 5)::int,
        original_name = case when size / 1000 % 2 = 0 then 'b' else 'B' end || size / 1000 % 9
        where owner_id = $1`,
      [ada.id],
    )
  })

  const sortedBy: Record<SortKey, (file: File) => string | number> = {
    date: ({ createdAt }) => createdAt,
    name: ({ originalName }) => originalName.toLowerCase(),
    size: ({ size }) => size,
    downloads: ({ downloadCount }) => downloadCount,
  }

  /** Compares two files in the server's order: by the sort value, then by id. */
  const compare = ({ by, descending }: FileOrder, a: File, b: File) => {
    const [firstKeys, secondKeys] = [
      [sortedBy[by](a), a.id],
      [sortedBy[by](b), b.id],
    ] as const
    const keyIndex = firstKeys[0] === secondKeys[0] ? 1 : 0
    const sign = (firstKeys[keyIndex] ?? 0) < (secondKeys[keyIndex] ?? 0) ? -1 : 1
    return descending ? -sign : sign
  }

  describe.each(fileOrderTexts)('sort=%s', (sort) => {
    it.each(['', 'b'])('applies across pages, each file once (search=%j)', async (search) => {
      const order = parseOrder(sort)
      const allFiles = await json<File[]>(await ada.fetch('/api/files'))
      const expectedIds = allFiles.toSorted((a, b) => compare(order, a, b)).map(({ id }) => id)
      const ids: string[] = []
      let cursor: string | null = null
      do {
        const params = new URLSearchParams({ sort, search, limit: '7', ...(cursor && { cursor }) })
        const response = await ada.fetch(`/api/files?${params}`)
        ids.push(...(await json<File[]>(response)).map(({ id }) => id))
        cursor = response.headers.get('x-next-cursor')
      } while (cursor !== null)
      expect(ids).toEqual(expectedIds)
    })
  })

  it('is newest first by default', async () => {
    const response = async (query: string) => json(await ada.fetch(`/api/files?limit=5${query}`))
    expect(await response('')).toEqual(await response('&sort=-date'))
  })

  it('shows each remaining file once, even if its neighbors are deleted between pages', async () => {
    const bob = await makePerson(app, { tier: 'premium' })
    await insertFiles(app, bob.id, 20)
    const firstResponse = await bob.fetch('/api/files?limit=10&sort=size')
    const shownFiles = await json<File[]>(firstResponse)
    await bob.fetch(`/api/files/${shownFiles[9]?.id}`, { method: 'DELETE' })
    const cursor = firstResponse.headers.get('x-next-cursor') ?? ''
    const nextResponse = await bob.fetch(`/api/files?sort=size&cursor=${cursor}`)
    const sizes = (await json<File[]>(nextResponse)).map(({ size }) => size)
    expect(sizes).toEqual(Array.from({ length: 10 }, (_, n) => (n + 11) * 1000))
  })

  it('fits the longest name into its cursor', async () => {
    const bob = await makePerson(app, { tier: 'premium' })
    for (const name of ['ת'.repeat(125), 'ש'.repeat(125)]) await makeFile(bob, { name })
    const firstResponse = await bob.fetch('/api/files?limit=1&sort=name')
    const cursor = firstResponse.headers.get('x-next-cursor') ?? ''
    const nextResponse = await bob.fetch(`/api/files?sort=name&cursor=${cursor}`)
    expect(nextResponse.status).toBe(200)
    expect(await json<File[]>(nextResponse)).toHaveLength(1)
  })

  it.each(['sort=', 'sort=age', 'sort=--size', 'sort=SIZE', 'sort=%00'])(
    'refuses ?%s',
    async (query) => {
      const response = await ada.fetch(`/api/files?${query}`)
      expect(response.status).toBe(400)
      expect(await response.json()).toMatchObject({ code: 'INVALID_INPUT' })
    },
  )

  const id = '00000000-0000-4000-8000-000000000000'
  it.each([
    ['of another order', ['size', 5, id]],
    ['of the opposite direction', ['name', 'b', id]],
    ['without an order', ['b', id]],
    ['with a value of another type', ['-name', 5, id]],
    ['with a NUL', ['-name', 'a\0', id]],
    ['without an id', ['-name', 'b', 'x']],
    ['that is not an array', 'name'],
  ])('refuses a cursor %s', async (_, position) => {
    const cursor = Buffer.from(JSON.stringify(position)).toString('base64url')
    const response = await ada.fetch(`/api/files?sort=-name&cursor=${cursor}`)
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({
      message: 'cursor: Must come from x-next-cursor of the same list.',
    })
  })

  it.each([
    ['size', -1],
    ['size', 1e300],
    ['size', 0.5],
    ['downloads', 2 ** 31],
  ])('refuses a cursor with an out-of-range value: %s %d', async (sort, value) => {
    const cursor = Buffer.from(JSON.stringify([sort, value, id])).toString('base64url')
    const response = await ada.fetch(`/api/files?sort=${sort}&cursor=${cursor}`)
    expect(response.status).toBe(400)
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

describe('the query plan of the list, with 10,000 files', () => {
  let ada: Person
  beforeAll(async () => {
    ada = await makePerson(app, { tier: 'premium' })
    await insertFiles(app, ada.id, 10_000)
    for (let n = 0; n < 10; n += 1) {
      await insertFiles(app, (await makePerson(app)).id, 3000)
    }
    await app.deps.db.execute(sql`vacuum analyze files, links`)
  })

  const plansOfList = async (work: () => Promise<unknown>) => {
    const plans = await queryPlansOf(app.pool, work)
    return plans.filter((plan) => /\bfrom "files"/.test(plan))
  }

  it.each([
    ['the first page', '/api/files?limit=100', 'Index Scan Backward using files_of_owner'],
    ['a list without a limit', '/api/files', 'Index Scan Backward using files_of_owner'],
    ['a search', '/api/files?limit=100&search=99', 'Index Scan Backward using files_of_owner'],
    ['a search without a match', '/api/files?search=zzz', 'Index Scan Backward'],
    ['smallest first', '/api/files?limit=100&sort=size', 'Index Scan using files_of_owner_by_size'],
    ['largest first', '/api/files?limit=100&sort=-size', 'Backward using files_of_owner_by_size'],
    [
      'names from A to Z',
      '/api/files?limit=100&sort=name',
      'Index Scan using files_of_owner_by_name',
    ],
    [
      'names from Z to A',
      '/api/files?limit=100&sort=-name',
      'Backward using files_of_owner_by_name',
    ],
    [
      'a search, largest first',
      '/api/files?limit=100&sort=-size&search=99',
      'Index Scan Backward using files_of_owner_by_size',
    ],
    [
      'a search, names from A to Z',
      '/api/files?limit=100&sort=name&search=99',
      'Index Scan using files_of_owner_by_name',
    ],
    ['the summary', '/api/files/summary', 'Index Only Scan using links_of_owner_by_end'],
  ])('for %s reads no other rows', async (_, path, expectedScan) => {
    const plans = await plansOfList(() => ada.fetch(path))
    expect(plans).toHaveLength(1)
    expect(plans[0]).toContain(expectedScan)
    expect(plans[0]).not.toContain('Seq Scan')
  })

  it.each([
    ['-date', /Backward using files_of_owner .*\n.*Index Cond: .*ROW\(created_at, id\) </],
    ['size', /Index Scan using files_of_owner_by_size .*\n.*Index Cond: .*ROW\(size, id\) >/],
    ['-name', /Backward using files_of_owner_by_name .*\n.*Index Cond: .*ROW\(search_name, id\) </],
  ])('uses the same index for later pages: %s', async (sort, condition) => {
    const { headers } = await ada.fetch(`/api/files?limit=1000&sort=${sort}`)
    const cursor = headers.get('x-next-cursor')
    const nextPath = `/api/files?limit=100&sort=${sort}&cursor=${cursor}`
    const plans = await plansOfList(() => ada.fetch(nextPath))
    expect(plans[0]).toMatch(condition)
  })
})
