import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { contentsOf, makeLink, startLink } from '../../../tests/support/link-requests.ts'
import { json, makeFile, makePerson, type Person } from '../../../tests/support/make.ts'
import { insertFiles } from '../../../tests/support/many-files.ts'
import { analyzedPlansOf, countRowsRead } from '../../../tests/support/query-plans.ts'
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts'
import { expectError } from '../../../tests/support/upload-requests.ts'
import type { Link } from '../../shared/contract/links.ts'
import { fileOrderTexts } from '../../shared/rules/files/file-order.ts'

let app: TestApp
let owner: Person
let codes: string[]
beforeAll(async () => {
  app = await startTestApp()
  owner = await makePerson(app, { tier: 'premium' })
  const { code: titled } = await makeLink(owner, { title: 'Été 100%_' }, contentsOf(5, 5))
  const { code: plain } = await makeLink(owner, {}, contentsOf(10), ['Report.PDF'])
  const { link } = await startLink(owner, contentsOf(10, 3), {}, ['on its way.txt', 'b.txt'])
  const files = [await makeFile(owner, { name: 'report.pdf' }), await makeFile(owner)]
  codes = [titled, plain, link.shortCode, ...files.map(({ shortCode }) => shortCode)]
})
afterAll(() => app.close())

const read = async (query: string) =>
  json<Link[]>(await owner.fetch(`/api/links?${new URLSearchParams(query)}`))

describe('GET /api/links', () => {
  it.each(fileOrderTexts)('pages through every link once, sorted by %s', async (sort) => {
    const found: string[] = []
    let cursor: string | null = ''
    do {
      const query = new URLSearchParams({ sort, limit: '2', ...(cursor && { cursor }) })
      const response = await owner.fetch(`/api/links?${query}`)
      found.push(...(await json<Link[]>(response)).map(({ shortCode }) => shortCode))
      cursor = response.headers.get('x-next-cursor')
    } while (cursor)
    expect(found.toSorted()).toEqual(codes.toSorted())
    const whole = await read(`sort=${sort}`)
    expect(whole.map(({ shortCode }) => shortCode)).toEqual(found)
  })

  it.each([
    ['été', [0]],
    ['100%_', [0]],
    ['%', [0]],
    ['REPORT', [1, 3]],
    ['on its way', [2]],
    ['file-1', [0]],
    ['nowhere', []],
  ])('searches titles and names for %j', async (search, expected) => {
    const found = (await read(`search=${encodeURIComponent(search)}`)).map(
      ({ shortCode }) => shortCode,
    )
    expect(found.toSorted()).toEqual(expected.map((index) => codes[index] ?? '').toSorted())
  })

  it('reads only the owner’s files for a search', async () => {
    const ada = await makePerson(app)
    await insertFiles(app, ada.id, 500)
    await insertFiles(app, (await makePerson(app)).id, 10_000)
    await app.pool.query('analyze files, links')
    const plans = await analyzedPlansOf(app.pool, () => ada.fetch('/api/links?search=zq'))
    const rowsRead = plans.reduce((sum, plan) => sum + countRowsRead(plan, 'files'), 0)
    expect(rowsRead).toBeLessThan(2000)
  })

  it.each([
    'limit=0',
    'limit=x',
    'sort=x',
    'cursor=x',
    'cursor=bnVsbA',
    'search=a%00b',
    'expiring=x',
  ])('rejects %s', async (query) => {
    await expectError(await owner.fetch(`/api/links?${query}`), 400, 'INVALID_INPUT')
  })
})
