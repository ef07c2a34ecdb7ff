import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { json, makeFile, makePerson } from '../../../tests/support/make.ts'
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts'
import type { File } from '../../shared/contract/files.ts'
import { shortCodes } from '../db/schema.ts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app.close())

describe('GET /api/files', () => {
  it("lists the caller's own files, newest first", async () => {
    const [ada, bob] = [await makePerson(app), await makePerson(app)]
    const first = await makeFile(ada)
    app.clock.advance(1)
    const second = await makeFile(ada)
    await makeFile(bob)
    const listed = await json<File[]>(await ada.fetch('/api/files'))
    expect(listed.map(({ id }) => id)).toEqual([second.id, first.id])
    expect(listed[0]).not.toHaveProperty('storageKey')
    expect(await json(await (await makePerson(app)).fetch('/api/files'))).toEqual([])
  })

  it('answers page by page, each file once, also among equal dates', async () => {
    const ada = await makePerson(app, { tier: 'premium' })
    const made = []
    for (let n = 0; n < 7; n += 1) made.push((await makeFile(ada)).id)

    const seen: string[] = []
    let cursor: string | null = ''
    let pages = 0
    while (cursor !== null) {
      const query = new URLSearchParams({ limit: '3', ...(cursor && { cursor }) })
      const response = await ada.fetch(`/api/files?${query}`)
      const page = await json<File[]>(response)
      expect(page.length).toBeLessThanOrEqual(3)
      seen.push(...page.map(({ id }) => id))
      cursor = response.headers.get('x-next-cursor')
      pages += 1
    }
    expect(pages).toBe(3)
    expect(seen.toSorted()).toEqual(made.toSorted())
  })

  it.each([
    'limit=0',
    'limit=-1',
    'limit=x',
    'limit=1.5',
    'limit=1001',
    'cursor=x',
    'cursor=bnVsbA',
  ])('refuses ?%s', async (query) => {
    const response = await (await makePerson(app)).fetch(`/api/files?${query}`)
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ code: 'INVALID_INPUT' })
  })
})

describe('short codes', () => {
  it('are never given twice, even after their file is gone', async () => {
    const ada = await makePerson(app)
    const { id, shortCode } = await makeFile(ada)
    await ada.fetch(`/api/files/${id}`, { method: 'DELETE' })
    const taken = await app.deps.db
      .insert(shortCodes)
      .values({ code: shortCode, issuedAt: app.clock() })
      .onConflictDoNothing()
      .returning()
    expect(taken).toEqual([])
  })
})
