import { eq, sql } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { updateFiles } from '../../../tests/support/file-rows.ts'
import { json, makeFile, makePerson, type Person } from '../../../tests/support/make.ts'
import { insertFiles } from '../../../tests/support/many-files.ts'
import { queryPlansOf } from '../../../tests/support/query-plans.ts'
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts'
import type { Link } from '../../shared/contract/links.ts'
import { fileOrderTexts, parseOrder, type SortKey } from '../../shared/rules/files/file-order.ts'
import { files } from '../db/schema.ts'
import { recountLinks } from './queries.ts'

const hour = 60 * 60_000
const day = 24 * hour

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app.close())

function getName({ files: [file] }: Link): string {
  return file?.name ?? ''
}

async function listNames(person: Person, query: Record<string, string>) {
  const response = await person.fetch(`/api/links?${new URLSearchParams(query)}`)
  expect(response.status).toBe(200)
  return (await json<Link[]>(response)).map(getName)
}

/** Reads a list page by page. Returns the names on each page. */
async function readPages(person: Person, query: Record<string, string>) {
  const namesByPage: string[][] = []
  let cursor: string | null = null
  do {
    const params = new URLSearchParams({ ...query, ...(cursor !== null && { cursor }) })
    const response = await person.fetch(`/api/links?${params}`)
    namesByPage.push((await json<Link[]>(response)).map(getName))
    cursor = response.headers.get('x-next-cursor')
  } while (cursor !== null)
  return namesByPage
}

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
    expect((await ada.fetch('/api/links?expiring=late')).status).toBe(400)
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
    await recountLinks(app.deps.db, 'all')
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
    const response = await ada.fetch(`/api/links?${query}`)
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ code: 'INVALID_INPUT' })
  })

  it("is paged, and finds no deleted files and no other users' files", async () => {
    const [bob, eve] = [await makePerson(app, { tier: 'premium' }), await makePerson(app)]
    await insertFiles(app, bob.id, 100)
    await makeFile(eve, { name: 'Report 7 of the working group.pdf' })
    const [first = '', ...otherNames] = (
      await readPages(bob, { search: 'report 2', limit: '3' })
    ).flat()
    expect(first).toBe('Report 2 of the working group.pdf')
    expect(otherNames).toHaveLength(10)
    const [foundLink] = await json<Link[]>(await bob.fetch('/api/links?search=report+99'))
    await bob.fetch(`/api/files/${foundLink?.files[0]?.id}`, { method: 'DELETE' })
    expect(await listNames(bob, { search: 'report 99' })).toEqual([])
  })
})

describe('the order of a list', () => {
  let ada: Person
  beforeAll(async () => {
    ada = await makePerson(app, { tier: 'premium' })
    await insertFiles(app, ada.id, 20)
    // Many files share a size and a download count, so some pages end between files that compare as
    // equal.
    await app.pool.query(
      `update files set size = size / 1000 % 4, download_count = (size / 1000 * 7 % 5)::int,
        original_name = case when size / 1000 % 2 = 0 then 'b' else 'B' end || size / 1000 % 9
        where owner_id = $1`,
      [ada.id],
    )
    await recountLinks(app.deps.db, 'all')
    await app.pool.query(
      `update links set download_count = files.download_count from files
        where links.id = link_id and links.owner_id = $1`,
      [ada.id],
    )
  })

  const getSortValue: Record<SortKey, (link: Link) => string | number> = {
    date: ({ createdAt }) => createdAt,
    name: (link) => getName(link).toLowerCase(),
    size: ({ totalSize }) => totalSize,
    downloads: ({ downloadCount }) => downloadCount,
  }

  describe.each(fileOrderTexts)('sort=%s', (sort) => {
    it.each(['', 'b'])('applies across pages, each link once (search=%j)', async (search) => {
      const { by, descending } = parseOrder(sort)
      const listedLinks: Link[] = []
      let cursor: string | null = null
      do {
        const params = new URLSearchParams({ sort, search, limit: '7', ...(cursor && { cursor }) })
        const response = await ada.fetch(`/api/links?${params}`)
        listedLinks.push(...(await json<Link[]>(response)))
        cursor = response.headers.get('x-next-cursor')
      } while (cursor !== null)
      const values = listedLinks.map(getSortValue[by])
      const sortedValues = values.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0))
      expect(values).toEqual(descending ? sortedValues.toReversed() : sortedValues)
      expect(new Set(listedLinks.map(({ shortCode }) => shortCode)).size).toBe(20)
    })
  })

  it('is newest first by default', async () => {
    const response = async (query: string) => json(await ada.fetch(`/api/links?limit=5${query}`))
    expect(await response('')).toEqual(await response('&sort=-date'))
  })

  it('shows each remaining link once, even if its neighbors are deleted between pages', async () => {
    const bob = await makePerson(app, { tier: 'premium' })
    await insertFiles(app, bob.id, 20)
    const firstResponse = await bob.fetch('/api/links?limit=10&sort=size')
    const shownLinks = await json<Link[]>(firstResponse)
    await bob.fetch(`/api/files/${shownLinks[9]?.files[0]?.id}`, { method: 'DELETE' })
    const cursor = firstResponse.headers.get('x-next-cursor') ?? ''
    const nextResponse = await bob.fetch(`/api/links?sort=size&cursor=${cursor}`)
    const sizes = (await json<Link[]>(nextResponse)).map(({ totalSize }) => totalSize)
    expect(sizes).toEqual(Array.from({ length: 10 }, (_, n) => (n + 11) * 1000))
  })

  it('fits the longest name into its cursor', async () => {
    const bob = await makePerson(app, { tier: 'premium' })
    for (const name of ['ת'.repeat(125), 'ש'.repeat(125)]) await makeFile(bob, { name })
    const firstResponse = await bob.fetch('/api/links?limit=1&sort=name')
    const cursor = firstResponse.headers.get('x-next-cursor') ?? ''
    const nextResponse = await bob.fetch(`/api/links?sort=name&cursor=${cursor}`)
    expect(nextResponse.status).toBe(200)
    expect(await json<Link[]>(nextResponse)).toHaveLength(1)
  })

  it.each(['sort=', 'sort=age', 'sort=--size', 'sort=SIZE', 'sort=%00'])(
    'refuses ?%s',
    async (query) => {
      const response = await ada.fetch(`/api/links?${query}`)
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
    const response = await ada.fetch(`/api/links?sort=-name&cursor=${cursor}`)
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
    const response = await ada.fetch(`/api/links?sort=${sort}&cursor=${cursor}`)
    expect(response.status).toBe(400)
  })
})

describe('the query plan of the list, with thousands of links', () => {
  let ada: Person
  beforeAll(async () => {
    ada = await makePerson(app, { tier: 'premium' })
    await insertFiles(app, ada.id, 2000)
    await insertFiles(app, (await makePerson(app)).id, 4000)
    await app.deps.db.execute(sql`vacuum analyze files, links`)
  })

  it('for the first page reads no other rows', async () => {
    const plans = await queryPlansOf(app.pool, () => ada.fetch('/api/links?limit=100'))
    const [listPlan] = plans.filter((plan) => / from "links" where "links"."owner_id"/.test(plan))
    expect(listPlan).toContain('Index Scan Backward using links_of_owner')
    expect(listPlan).not.toContain('Seq Scan')
  })
})
