import { eq } from 'drizzle-orm'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import {
  changeLink,
  contentsOf,
  deleteLink,
  fetchBytes,
  findListed,
  finishUploads,
  makeLink,
  newFile,
  readPublicLink,
  readStarted,
  requestLink,
  requestMoreFiles,
  startLink,
} from '../../../tests/support/link-requests.ts'
import { findWrongTotals } from '../../../tests/support/link-totals.ts'
import {
  json,
  makeClient,
  makePerson,
  type Person,
  putBytes,
  signInAgain,
} from '../../../tests/support/make.ts'
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts'
import { confirmInBatch } from '../../../tests/support/upload-batches.ts'
import { abortUpload, expectError, requestConfirm } from '../../../tests/support/upload-requests.ts'
import type { Link } from '../../shared/contract/links.ts'
import { files, links } from '../db/schema.ts'
import { expireFiles } from '../files/expire-files.ts'
import { sweepUploads } from '../uploads/end-uploads.ts'

const hour = 60 * 60_000
const day = 24 * hour

let app: TestApp
let owner: Person
beforeAll(async () => {
  app = await startTestApp()
  owner = await makePerson(app, { tier: 'premium' })
})
afterEach(async () => expect(await findWrongTotals(app.pool)).toEqual([]))
afterAll(async () => {
  const failures = app.logLines.filter(({ level }) => level >= 50)
  await app.close()
  expect(failures).toEqual([])
})

async function readLink(code: string): Promise<Link> {
  const link = await findListed(owner, code)
  if (!link) throw new Error('there is no such link')
  return link
}

const countLinks = (code: string) => app.deps.db.$count(links, eq(links.shortCode, code))

/** Asserts that neither its owner nor visitors find a link. */
async function expectGone(code: string) {
  const client = makeClient(app)
  for (const path of [`/api/download/${code}`, `/s/${code}`, `/download/${code}`])
    expect((await client.fetch(path)).status).toBe(404)
  for (const person of [client, owner])
    await expectError(await person.fetch(`/api/links/${code}`), 404, 'LINK_NOT_FOUND')
  await expectError(await changeLink(owner, code, { title: 'x' }), 404, 'LINK_NOT_FOUND')
  await expectError(await requestMoreFiles(owner, code), 404, 'LINK_NOT_FOUND')
  expect(await findListed(owner, code)).toBeUndefined()
}

describe('a link while its files are on their way', () => {
  it('answers 503 with Retry-After for what is missing, and sends what is there', async () => {
    const contents = contentsOf(100, 200)
    const { link, uploads } = await startLink(owner, contents)
    const code = link.shortCode
    const [first, second] = link.files.map(({ id }) => `${code}/${id}`)
    await finishUploads(owner, uploads.slice(0, 1), contents)
    expect((await fetchBytes(app, `${first}`)).body.equals(contents[0] as Uint8Array)).toBe(true)
    for (const path of [
      code,
      `${second}`,
      `${second}`.toUpperCase().replace(code.toUpperCase(), code),
    ]) {
      for (const method of ['GET', 'HEAD']) {
        const { status, headers } = await fetchBytes(app, path, {}, method)
        expect([status, Number(headers.get('retry-after')) > 0]).toEqual([503, true])
      }
    }
    for (const id of ['00000000-0000-4000-8000-000000000000', 'x', "'", '%00'])
      expect((await fetchBytes(app, `${code}/${id}`)).status).toBe(404)
    const details = await readPublicLink(app, code)
    expect(details.files.map(({ state, name }) => [state, name])).toEqual([
      ['ready', 'file-0.txt'],
      ['uploading', 'file-1.txt'],
    ])
    expect(JSON.stringify(details)).not.toMatch(/downloadCount|cloudKey|storageKey|ownerId/)
    await finishUploads(owner, uploads.slice(1), contents.slice(1))
    expect((await fetchBytes(app, code)).status).toBe(200)
    expect(await readPublicLink(app, code)).toMatchObject({ state: 'ready', totalSize: 300 })
  })

  it('with one file has the fields of the file, and no counts for visitors', async () => {
    const { link } = await startLink(owner, contentsOf(100), {}, ['photo.jpg'])
    const details = await readPublicLink(app, link.shortCode)
    expect(details).toMatchObject({ originalName: 'photo.jpg', size: 100, sha256: null })
    expect(details).not.toHaveProperty('downloadCount')
    expect(await json(await owner.fetch(`/api/links/${link.shortCode}`))).toMatchObject({
      downloadCount: 0,
    })
  })

  it('takes its dates from the first file, and its expiry anew from the last', async () => {
    const contents = contentsOf(10, 10, 10)
    const { link, uploads } = await startLink(owner, contents)
    const finish = (index: number) =>
      finishUploads(owner, uploads.slice(index, index + 1), contents.slice(index))
    const hoursLater = (hours: number) =>
      new Date(app.clock().getTime() + hours * hour).toISOString()
    app.clock.advance(hour)
    const createdAt = app.clock().toISOString()
    const [first] = await finish(0)
    expect(first).toMatchObject({ expiresAt: hoursLater(72), maxLifetimeAt: hoursLater(720) })
    const { maxLifetimeAt, expiresAt } = await readLink(link.shortCode)
    app.clock.advance(hour)
    await finish(1)
    expect(await readLink(link.shortCode)).toMatchObject({ createdAt, expiresAt, maxLifetimeAt })
    app.clock.advance(hour)
    const [last] = await finish(2)
    const ready = { createdAt, expiresAt: hoursLater(72), maxLifetimeAt, state: 'ready' }
    expect(await readLink(link.shortCode)).toMatchObject(ready)
    expect(last).toMatchObject({ expiresAt: ready.expiresAt })
    const rows = await app.deps.db
      .select()
      .from(files)
      .where(eq(files.id, first?.id ?? ''))
    expect(rows[0]?.purgeAt.toISOString()).toBe(maxLifetimeAt)
  })

  it('keeps the days of a renewal when the last file arrives', async () => {
    const contents = contentsOf(10, 10)
    const { link, uploads } = await startLink(owner, contents)
    await finishUploads(owner, uploads.slice(0, 1), contents)
    const renewal = await owner.fetch(`/api/links/${link.shortCode}/renew`, {
      method: 'PATCH',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ expirationDays: 7 }),
    })
    const renewed = await json<Link>(renewal)
    app.clock.advance(hour)
    await finishUploads(owner, uploads.slice(1), contents.slice(1))
    expect(await readLink(renewed.shortCode)).toMatchObject({ expiresAt: renewed.expiresAt })
  })

  it('is complete after batches, of files of one link or several', async () => {
    const contents = contentsOf(10, 10, 10)
    const started = [await startLink(owner, contents), await startLink(owner, contents)]
    const uploads = started.flatMap((link) => link.uploads)
    for (const [index, upload] of uploads.entries())
      await putBytes(upload, contents[index % 3] as Uint8Array<ArrayBuffer>)
    app.clock.advance(hour)
    const keys = uploads.map(({ cloudKey }) => ({ cloudKey }))
    // Twice, in parallel, in different orders.
    const [results, again] = await Promise.all([
      confirmInBatch(owner, keys.slice(0, 5)),
      confirmInBatch(owner, keys.slice(0, 5).toReversed()),
    ])
    expect(again?.toReversed()).toEqual(results)
    expect(await readLink(started[1]?.link.shortCode ?? '')).toMatchObject({ state: 'uploading' })
    await confirmInBatch(owner, keys)
    const expiresAt = new Date(app.clock().getTime() + 3 * day).toISOString()
    for (const { link } of started) {
      const { files: linkFiles, ...finished } = await readLink(link.shortCode)
      expect(finished).toMatchObject({ state: 'ready', expiresAt })
      expect(linkFiles.map(({ id }) => id)).toEqual(link.files.map(({ id }) => id))
    }
  })

  it('confirms each file once, also in parallel', async () => {
    const contents = contentsOf(10, 10)
    const { link, uploads } = await startLink(owner, contents)
    for (const [index, upload] of uploads.entries())
      await putBytes(upload, contents[index] as Uint8Array<ArrayBuffer>)
    const attempts = [...uploads, ...uploads, ...uploads].map(({ cloudKey }) =>
      requestConfirm(owner, cloudKey),
    )
    for (const { status } of await Promise.all(attempts)) expect(status).toBe(200)
    expect((await readLink(link.shortCode)).files).toHaveLength(2)
  })
})

describe('abandoned uploads', () => {
  it('leave the link what arrived, and its dates', async () => {
    const contents = contentsOf(10, 20)
    const { link, uploads } = await startLink(owner, contents)
    await finishUploads(owner, uploads.slice(0, 1), contents)
    const before = await readLink(link.shortCode)
    app.clock.advance(day + 1000)
    await sweepUploads(app.deps)
    const { expiresAt, state, totalSize } = await readLink(link.shortCode)
    expect({ expiresAt, state, totalSize }).toEqual({
      ...{ expiresAt: before.expiresAt, state: 'ready', totalSize: 10 },
    })
    expect((await fetchBytes(app, link.shortCode)).body.equals(contents[0] as Uint8Array)).toBe(
      true,
    )
  })

  it.each<[string, (person: Person, keys: string[]) => Promise<unknown>]>([
    [
      'after 24 hours without a byte',
      () => {
        app.clock.advance(day + 1000)
        return sweepUploads(app.deps)
      },
    ],
    ['aborted', (person, keys) => Promise.all(keys.map((key) => abortUpload(person, key)))],
  ])('remove a link that has nothing else: %s', async (_, end) => {
    const { link, uploads } = await startLink(owner, contentsOf(10, 20))
    await end(
      owner,
      uploads.map(({ cloudKey }) => cloudKey),
    )
    await expectGone(link.shortCode)
    expect(await countLinks(link.shortCode)).toBe(0)
  })

  it('never remove a link to which files are added at the same time', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { link, uploads } = await startLink(owner, contentsOf(10))
      const code = link.shortCode
      const [added] = await Promise.all([
        requestMoreFiles(owner, code),
        abortUpload(owner, uploads[0]?.cloudKey ?? ''),
      ])
      expect([201, 404]).toContain(added.status)
      expect(await countLinks(code)).toBe(added.status === 201 ? 1 : 0)
      if (added.status === 201) await deleteLink(owner, code)
    }
  })
})

describe('adding files', () => {
  it('puts them last, leaves the expiry, and makes downloads of all files wait', async () => {
    const { code } = await makeLink(owner)
    const before = await readLink(code)
    app.clock.advance(hour)
    const contents = contentsOf(5, 6)
    const list = [5, 6].map((fileSize) => newFile({ fileName: `added-${fileSize}`, fileSize }))
    const response = await requestMoreFiles(owner, code, list)
    expect(response.status).toBe(201)
    const { link, uploads } = await readStarted(response)
    expect(link.files.map(({ state }) => state)).toEqual([
      'ready',
      'ready',
      'uploading',
      'uploading',
    ])
    const waiting = await fetchBytes(app, code)
    expect([waiting.status, waiting.headers.has('retry-after')]).toEqual([503, true])
    const one = await fetchBytes(app, `${code}/${before.files[0]?.id}`)
    expect(one.status).toBe(200)
    await finishUploads(owner, uploads.toReversed(), contents.toReversed())
    const { expiresAt, maxLifetimeAt, createdAt } = before
    const after = await readLink(code)
    expect(after).toMatchObject({ expiresAt, maxLifetimeAt, createdAt, state: 'ready' })
    expect(after.files.map(({ name }) => name)).toEqual([
      ...['file-0.txt', 'file-1.txt', 'added-5', 'added-6'],
    ])
    expect((await fetchBytes(app, code)).status).toBe(200)
  })

  it('twice at once keeps their order', async () => {
    const { code } = await makeLink(owner)
    const added = await Promise.all(
      ['a', 'b', 'c'].map(async (name) =>
        readStarted(
          await requestMoreFiles(
            owner,
            code,
            [1, 2, 3].map((n) => newFile({ fileName: `${name}${n}` })),
          ),
        ),
      ),
    )
    const names = (await readLink(code)).files.slice(2).map(({ name }) => name)
    const groups = [names.slice(0, 3), names.slice(3, 6), names.slice(6)].map((group) =>
      group.join(),
    )
    expect(groups.toSorted()).toEqual(['a1,a2,a3', 'b1,b2,b3', 'c1,c2,c3'])
    expect(added).toHaveLength(3)
  })

  it('stops at 1,000 files, in parallel too, and counts only those that are left', async () => {
    const list = (count: number) => Array.from({ length: count }, () => newFile({ fileSize: 0 }))
    const { link, uploads } = await readStarted(await requestLink(owner, list(999)))
    const code = link.shortCode
    await finishUploads(owner, uploads.slice(0, 1), [])
    const idempotencyKey = 'add one'
    const attempts = [1, 1, 2].map((count) => requestMoreFiles(owner, code, list(count)))
    const statuses = (await Promise.all(attempts)).map(({ status }) => status)
    expect(statuses.toSorted()).toEqual([201, 400, 400])
    await abortUpload(owner, uploads[500]?.cloudKey ?? '')
    const added = await requestMoreFiles(owner, code, list(1), { idempotencyKey })
    const repeated = await requestMoreFiles(owner, code, list(1), { idempotencyKey })
    const [first, second] = [await readStarted(added), await readStarted(repeated)]
    expect(second.uploads[0]?.cloudKey).toBe(first.uploads[0]?.cloudKey)
    expect(second.link.files).toHaveLength(1000)
    expect((await deleteLink(owner, code)).status).toBe(200)
  })

  it.each<[string, (code: string) => Promise<unknown>]>([
    ["somebody else's", async () => {}],
    ['deleted', (code) => deleteLink(owner, code)],
    [
      'used up',
      async (code) => {
        await changeLink(owner, code, { maxDownloads: 1 })
        await fetchBytes(app, code)
      },
    ],
    [
      'expired',
      async () => {
        app.clock.advance(3 * day)
        owner = await signInAgain(app, owner)
      },
    ],
  ])('is refused for a link that is %s', async (name, end) => {
    const { code } = await makeLink(owner)
    await end(code)
    const person = name.startsWith('somebody') ? await makePerson(app) : owner
    const rows = await app.deps.db.$count(links)
    await expectError(await requestMoreFiles(person, code), 404, 'LINK_NOT_FOUND')
    await expectError(await requestMoreFiles(person, 'AAAAAAAAAA'), 404, 'LINK_NOT_FOUND')
    expect(await app.deps.db.$count(links)).toBe(rows)
    await expireFiles(app.deps)
  })
})
