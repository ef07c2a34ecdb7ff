import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  changeLink,
  contentsOf,
  fetchBytes,
  findListed,
  makeLink,
} from '../../../tests/support/link-requests.ts'
import {
  json,
  makeClient,
  makePerson,
  type Person,
  requestRenewal,
} from '../../../tests/support/make.ts'
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts'
import { expectError } from '../../../tests/support/upload-requests.ts'
import type { File } from '../../shared/contract/files.ts'
import { files } from '../db/schema.ts'

let app: TestApp
let owner: Person
beforeAll(async () => {
  app = await startTestApp({ env: { TRUST_PROXY: 'on' } })
  owner = await makePerson(app, { tier: 'premium' })
})
afterAll(async () => {
  const failures = app.logLines.filter(({ level }) => level >= 50)
  await app.close()
  expect(failures).toEqual([])
})

/** Requests as if from this address, which identifies the client. */
const from = (address: string) => ({ 'x-forwarded-for': address })
const ada = from('192.0.2.1')
const bob = from('192.0.2.2')

const singleFile = (maxDownloads: number) => makeLink(owner, { maxDownloads }, contentsOf(1000))

async function countOf(code: string) {
  return (await findListed(owner, code))?.downloadCount
}

/** Returns the statuses of everything a visitor can request from a link. */
async function statusesFor(code: string, headers: Record<string, string>) {
  const paths = [`/api/download/${code}`, `/s/${code}`, `/download/${code}`, `/api/links/${code}`]
  const statuses = await Promise.all(
    paths.map(async (path) => (await makeClient(app).fetch(path, { headers })).status),
  )
  const head = await fetchBytes(app, code, headers, 'HEAD')
  return [...statuses, head.status]
}

describe('a link with a download limit', () => {
  it('allows exactly this many of 15 parallel downloads, then is over for new clients', async () => {
    const { code } = await singleFile(7)
    const responses = await Promise.all(
      Array.from({ length: 15 }, (_, n) => fetchBytes(app, code, from(`192.0.2.${n}`))),
    )
    const complete = responses.filter(({ status, body }) => status === 200 && body.length === 1000)
    const refused = responses.filter(({ status }) => status === 404)
    expect([complete.length, refused.length]).toEqual([7, 8])
    expect(await countOf(code)).toBe(7)
    expect(await statusesFor(code, from('198.51.100.1'))).toEqual([404, 404, 404, 404, 404])
  })

  it('counts a download that its client resumes once, and lets it finish', async () => {
    const { code, contents } = await singleFile(1)
    const first = await fetchBytes(app, code, { ...ada, range: 'bytes=0-99' })
    const etag = first.headers.get('etag') ?? ''
    const conditionSets: Record<string, string>[] = [{}, { 'if-range': etag }, { 'if-match': etag }]
    for (const conditions of conditionSets) {
      const rest = await fetchBytes(app, code, { ...ada, ...conditions, range: 'bytes=100-' })
      expect(rest.status).toBe(206)
      expect(Buffer.concat([first.body, rest.body]).equals(contents[0] as Uint8Array)).toBe(true)
    }
    expect((await fetchBytes(app, code, ada, 'HEAD')).status).toBe(200)
    // Changed validators would send the file from the beginning.
    const changed = { ...ada, 'if-range': '"other"', range: 'bytes=100-' }
    expect((await fetchBytes(app, code, changed)).status).toBe(404)
    expect((await fetchBytes(app, code, ada)).status).toBe(404)
    expect((await fetchBytes(app, code, { ...bob, range: 'bytes=100-' })).status).toBe(404)
    expect(await countOf(code)).toBe(1)
  })

  it("counts a range from a client that hasn't begun the download", async () => {
    const { code, files: linkFiles } = await makeLink(owner, { maxDownloads: 3 })
    const [first, second] = linkFiles.map(({ id }) => `${code}/${id}`)
    const range = { range: 'bytes=10-' }
    expect((await fetchBytes(app, `${first}`, { ...ada, ...range })).status).toBe(206)
    expect((await fetchBytes(app, `${first}`, { ...ada, range: 'bytes=20-' })).status).toBe(206)
    expect(await countOf(code)).toBe(1)
    expect((await fetchBytes(app, `${first}`, { ...bob, ...range })).status).toBe(206)
    expect(await countOf(code)).toBe(2)
    // Having begun one file doesn't allow a client to resume another.
    expect((await fetchBytes(app, `${second}`, { ...ada, ...range })).status).toBe(206)
    expect(await countOf(code)).toBe(3)
    expect((await fetchBytes(app, code, { ...ada, ...range })).status).toBe(404)
  })

  it.each([
    ['a HEAD', {}, 'HEAD', 200],
    ['an unchanged file', { 'if-none-match': 'ETAG' }, 'GET', 304],
    ['a failed precondition', { 'if-match': '"other"' }, 'GET', 412],
    ['a range beyond the end', { range: 'bytes=1000-' }, 'GET', 416],
    ['a script', { 'sec-fetch-dest': 'script' }, 'GET', 403],
  ])("doesn't count %s", async (_, headers, method, status) => {
    const { code } = await singleFile(1)
    const etag = (await fetchBytes(app, code, {}, 'HEAD')).headers.get('etag') ?? ''
    const sent = Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name, value === 'ETAG' ? etag : value]),
    )
    expect((await fetchBytes(app, code, { ...ada, ...sent }, method)).status).toBe(status)
    expect(await countOf(code)).toBe(0)
    expect((await fetchBytes(app, code, bob)).status).toBe(200)
  })

  it('counts an archive once, and its resumption not at all', async () => {
    const { code, files: linkFiles } = await makeLink(owner, { maxDownloads: 1 })
    const first = await fetchBytes(app, code, { ...ada, range: 'bytes=0-9' })
    const rest = await fetchBytes(app, code, { ...ada, range: 'bytes=10-' })
    expect([first.status, rest.status]).toEqual([206, 206])
    expect(await countOf(code)).toBe(1)
    expect((await fetchBytes(app, `${code}/${linkFiles[0]?.id}`, ada)).status).toBe(404)
  })

  it("doesn't count a download that the server can't begin", async () => {
    const { code, files: linkFiles } = await singleFile(1)
    const id = linkFiles[0]?.id ?? ''
    const [row] = await app.deps.db.select().from(files).where(eq(files.id, id))
    await app.deps.db.update(files).set({ size: 2000 }).where(eq(files.id, id))
    expect((await fetchBytes(app, code, ada)).status).toBe(503)
    app.logLines.splice(0)
    expect(await countOf(code)).toBe(0)
    await app.deps.db
      .update(files)
      .set({ size: row?.size ?? 0 })
      .where(eq(files.id, id))
    expect((await fetchBytes(app, code, ada)).status).toBe(200)
  })

  it('can be lowered below the count, raised and removed', async () => {
    const { code } = await singleFile(3)
    for (const client of [ada, bob]) await fetchBytes(app, code, client)
    expect((await changeLink(owner, code, { maxDownloads: 1 })).status).toBe(200)
    expect(await statusesFor(code, from('198.51.100.1'))).toEqual([404, 404, 404, 404, 404])
    expect(await findListed(owner, code)).toMatchObject({ maxDownloads: 1, downloadCount: 2 })
    expect((await changeLink(owner, code, { maxDownloads: 3 })).status).toBe(200)
    const details = await (await makeClient(app).fetch(`/api/links/${code}`)).json()
    expect(details).toMatchObject({ maxDownloads: 3, remainingDownloads: 1 })
    expect(details).not.toHaveProperty('downloadCount')
    expect((await fetchBytes(app, code)).status).toBe(200)
    expect((await fetchBytes(app, code)).status).toBe(404)
    expect((await changeLink(owner, code, { maxDownloads: null })).status).toBe(200)
    for (let n = 0; n < 3; n += 1) expect((await fetchBytes(app, code)).status).toBe(200)
  })

  it('can be renewed only while downloads are left', async () => {
    const { code, files: linkFiles } = await singleFile(1)
    const id = linkFiles[0]?.id ?? ''
    await fetchBytes(app, code)
    await expectError(await requestRenewal(owner, id), 409, 'DOWNLOADS_USED_UP')
    await changeLink(owner, code, { maxDownloads: 2 })
    const { shortCode } = await json<File>(await requestRenewal(owner, id))
    expect((await fetchBytes(app, shortCode)).status).toBe(200)
    expect((await fetchBytes(app, shortCode)).status).toBe(404)
  })
})
