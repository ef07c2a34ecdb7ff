import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { makeLink, sendFile, startLink } from '../../../tests/support/links.ts'
import { json, makeClient, makePerson, type Person } from '../../../tests/support/make.ts'
import { insertFiles } from '../../../tests/support/many-files.ts'
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts'
import type { DownloadStats } from '../../shared/contract/analytics.ts'
import type { FileCounts } from '../../shared/contract/files.ts'
import type { Link } from '../../shared/contract/links.ts'
import { utcDay } from '../../shared/rules/format/day.ts'
import { maxFilesPerPage } from '../../shared/rules/links/link-limits.ts'
import { recountLinks } from './queries.ts'
import { countLinksOnPage } from './read-links.ts'

let app: TestApp
let ada: Person
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app.close())
beforeEach(async () => {
  ada = await makePerson(app, { tier: 'premium' })
})

const files = ['a.txt', 'b.txt'].map((name) => ({ name, bytes: new Uint8Array(1000) }))

/** Returns a link of Ada's as listed. */
async function findLink(shortCode: string): Promise<Link> {
  const links = await json<Link[]>(await ada.fetch('/api/links'))
  const link = links.find((listed) => listed.shortCode === shortCode)
  if (!link) throw new Error(`${shortCode} is not listed`)
  return link
}

/** Reads the list of links page by page. Returns the number of links on each page. */
async function readPages(query: Record<string, string> = {}): Promise<number[]> {
  const lengths: number[] = []
  let cursor: string | null = null
  do {
    const params = new URLSearchParams({ ...query, ...(cursor !== null && { cursor }) })
    const response = await ada.fetch(`/api/links?${params}`)
    lengths.push((await json<Link[]>(response)).length)
    cursor = response.headers.get('x-next-cursor')
  } while (cursor !== null)
  return lengths
}

it.each([
  [[], 0],
  [[1, 1, 1], 3],
  [[4, 6], 2],
  [[4, 6, 1], 2],
  [[11, 1], 1],
  [[9, 2], 1],
])('of links with %j files, a page for 10 files has %i', (fileCounts, expectedCount) => {
  const rows = fileCounts.map((fileCount) => ({ link: { fileCount } }))
  expect(countLinksOnPage(rows, 10)).toBe(expectedCount)
})

it('a page ends before it has too many files, and the next one continues', async () => {
  await insertFiles(app, ada.id, 3 * 800)
  const { rows } = await app.deps.db.execute<{ id: string }>(
    sql`select id from links where owner_id = ${ada.id} order by created_at desc`,
  )
  // Three links of 800 files each, and no others.
  for (const n of [0, 1, 2]) {
    const ids = rows.slice(n * 800, (n + 1) * 800).map(({ id }) => id)
    await app.deps.db.execute(
      sql`update files set link_id = ${ids[0]} where link_id = any(${sql.param(ids)}::uuid[])`,
    )
    await recountLinks(app.deps.db, ids)
  }
  expect(maxFilesPerPage).toBe(2000)
  expect(await readPages()).toEqual([2, 1])
  expect(await readPages({ sort: '-size', limit: '1' })).toEqual([1, 1, 1])
})

describe('deleting a file by its id', () => {
  const deleteFile = (id: string) => ada.fetch(`/api/files/${id}`, { method: 'DELETE' })

  it('takes it out of its link, and keeps the others', async () => {
    const shortCode = await makeLink(ada, files)
    const { files: oldFiles } = await findLink(shortCode)
    expect((await deleteFile(oldFiles[0]?.id ?? '')).status).toBe(200)
    const link = await findLink(shortCode)
    expect(link.files.map(({ name }) => name)).toEqual(['b.txt'])
    expect(link.totalSize).toBe(1000)
  })

  it('ends its upload while it is being uploaded, which completes the link', async () => {
    const { link, uploads } = await startLink(ada, files)
    await sendFile(ada, uploads[0], files[0] as (typeof files)[number])
    expect((await findLink(link.shortCode)).state).toBe('uploading')
    const id = link.files[1]?.id ?? ''
    const mallory = await makePerson(app)
    expect((await mallory.fetch(`/api/files/${id}`, { method: 'DELETE' })).status).toBe(404)
    expect((await deleteFile(id)).status).toBe(200)
    expect((await deleteFile(id)).status).toBe(404)
    expect(await findLink(link.shortCode)).toMatchObject({
      state: 'ready',
      files: [{ name: 'a.txt' }],
    })
  })

  it('ends a link whose files are all being uploaded', async () => {
    const { link } = await startLink(ada, files)
    const response = await ada.fetch('/api/files/bulk', {
      method: 'DELETE',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ fileIds: link.files.map(({ id }) => id) }),
    })
    expect(await response.json()).toMatchObject({ deletedCount: 2, notFound: [] })
    expect(await json(await ada.fetch('/api/links'))).toEqual([])
  })
})

it('the summary counts files, and links once', async () => {
  await makeLink(ada, files)
  const counts = await json<FileCounts>(await ada.fetch('/api/files/summary'))
  expect([counts.files.active, counts.links.active]).toEqual([2, 1])
})

describe('the statistics of a link', () => {
  const requestStats = (person: Person, code: string) => person.fetch(`/api/links/${code}/stats`)

  it('count its own downloads, and those of its files per day', async () => {
    const shortCode = await makeLink(ada, files)
    const [firstFile] = (await findLink(shortCode)).files
    const visitor = makeClient(app)
    for (const path of [shortCode, `${shortCode}/${firstFile?.id}`]) {
      await (await visitor.fetch(`/api/download/${path}`)).arrayBuffer()
    }
    await expect
      .poll(async () => json<DownloadStats>(await requestStats(ada, shortCode)))
      .toEqual({
        downloadCount: 2,
        lastDownloadAt: app.clock().toISOString(),
        days: [{ day: utcDay(app.clock()), count: 3 }],
      })
  })

  it('are shown only to its premium owner', async () => {
    const shortCode = await makeLink(ada, files)
    const otherPerson = await makePerson(app, { tier: 'premium' })
    expect((await requestStats(otherPerson, shortCode)).status).toBe(404)
    expect((await requestStats(await makePerson(app), shortCode)).status).toBe(403)
    expect(await json(await requestStats(ada, shortCode))).toMatchObject({
      downloadCount: 0,
      lastDownloadAt: null,
    })
  })
})
