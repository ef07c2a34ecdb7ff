import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  contentsOf,
  deleteLink,
  findListed,
  finishUploads,
  makeLink,
  newFile,
  readStarted,
  requestLink,
  requestMoreFiles,
  type StartedLink,
} from '../../../tests/support/link-requests.ts'
import { json, makePerson, type Person } from '../../../tests/support/make.ts'
import { queryPlansOf } from '../../../tests/support/query-plans.ts'
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts'
import { expectError, requestUpload } from '../../../tests/support/upload-requests.ts'
import { links, uploads } from '../db/schema.ts'

let app: TestApp
let owner: Person
beforeAll(async () => {
  app = await startTestApp()
  owner = await makePerson(app, { tier: 'premium' })
})
afterAll(async () => {
  const failures = app.logLines.filter(({ level }) => level >= 50)
  await app.close()
  expect(failures).toEqual([])
})

/** Returns how many links and uploads a person has in the database. */
async function countRows({ id }: Person) {
  const { db } = app.deps
  return {
    links: await db.$count(links, eq(links.ownerId, id)),
    uploads: await db.$count(uploads, eq(uploads.ownerId, id)),
  }
}

const nothing = { links: 0, uploads: 0 }
const gigabytes = 1024 ** 3
const files = (count: number) =>
  Array.from({ length: count }, (_, index) => newFile({ fileName: `file ${index}.txt` }))

interface RefusedList {
  code: string
  message: string
  errors: { index: number; code: string; message: string }[]
}

describe('creating a link', () => {
  it('lists the files in the order of the request, and answers with their uploads', async () => {
    const names = ['b.txt', 'a.txt', 'b.txt', '../c.txt']
    const request = names.map((fileName, index) => newFile({ fileName, fileSize: index }))
    const options = { title: ' Trip ', message: 'Hi\r\nthere', maxDownloads: 5, password: 'x' }
    const response = await requestLink(owner, request, options)
    expect(response.status).toBe(201)
    const { link, uploads: tickets } = await readStarted(response)
    expect(link).toMatchObject({
      ...{ title: 'Trip', message: 'Hi\nthere', maxDownloads: 5, hasPassword: true },
      ...{ state: 'uploading', downloadCount: 0, totalSize: 6 },
    })
    expect(JSON.stringify(link)).not.toMatch(/hash|ownerId|storageKey/i)
    expect(link.files.map(({ size, state }) => [size, state])).toEqual(
      [0, 1, 2, 3].map((size) => [size, 'uploading']),
    )
    expect(tickets.map(({ metadata }) => metadata.size)).toEqual([0, 1, 2, 3])
    expect(new Set(tickets.map(({ shortCode }) => shortCode))).toEqual(new Set([link.shortCode]))
    await finishUploads(owner, tickets.toReversed(), contentsOf(3, 2, 1, 0))
    const listed = await findListed(owner, link.shortCode)
    expect(listed?.files.map(({ name }) => name)).toEqual(link.files.map(({ name }) => name))
  })

  it('takes 1,000 files in one call with as many statements as for two', async () => {
    const countStatements = async (count: number) => {
      let started: StartedLink | undefined
      const plans = await queryPlansOf(app.pool, async () => {
        started = await readStarted(await requestLink(owner, files(count)))
      })
      const { link, uploads: tickets } = started as StartedLink
      expect([link.files.length, tickets.length]).toEqual([count, count])
      expect(link.files.map(({ name }) => name)).toEqual(files(count).map((file) => file.fileName))
      expect((await deleteLink(owner, link.shortCode)).status).toBe(200)
      return plans.length
    }
    expect(await countStatements(1000)).toBe(await countStatements(2))
  })

  it.each<[string, unknown, Record<string, unknown>]>([
    ['no files', [], {}],
    ['1,001 files', files(1001), {}],
    ['files of a wrong type', 'files', {}],
    ['null as a file', [null], {}],
    ['a file without a name', [newFile({ fileName: '' })], {}],
    ['a negative size', [newFile({ fileSize: -1 })], {}],
    ['a fractional size', [newFile({ fileSize: 1.5 })], {}],
    ['days that no tier offers', files(2), { expirationDays: 4 }],
    ['a title of 10,000 characters', files(2), { title: 'x'.repeat(10_000) }],
    ['a title of 201 characters', files(2), { title: 'x'.repeat(201) }],
    ['an empty title', files(2), { title: '' }],
    ['a blank title', files(2), { title: ' \u200b\u2800 ' }],
    ['a title with a line break', files(2), { title: 'a\nb' }],
    ['a title with NUL', files(2), { title: 'a\0b' }],
    ['a title with an escape sequence', files(2), { title: 'a\u001b[31mb' }],
    ['a title that reverses text', files(2), { title: 'gpj.\u202eexe' }],
    ['a title with half a character', files(2), { title: 'a\ud83d' }],
    ['a title that is a number', files(2), { title: 1 }],
    ['a message of 2,001 characters', files(2), { message: 'x'.repeat(2001) }],
    ['a blank message', files(2), { message: ' \n ' }],
    ['an empty password', files(2), { password: '' }],
    ['a password of 1,000 characters', files(2), { password: 'x'.repeat(1000) }],
    ['a password with NUL', files(2), { password: 'a\0b' }],
    ['a password that is a list', files(2), { password: ['x'] }],
    ...[0, -1, 1.5, 1e9, Number.MAX_SAFE_INTEGER, '3', true].map(
      (maxDownloads): [string, unknown, Record<string, unknown>] => [
        `maxDownloads ${JSON.stringify(maxDownloads)}`,
        files(2),
        { maxDownloads },
      ],
    ),
    ['an idempotency key of 65 characters', files(2), { idempotencyKey: 'x'.repeat(65) }],
  ])('rejects %s and starts nothing', async (_, list, changes) => {
    const person = await makePerson(app, { tier: 'premium' })
    await expectError(await requestLink(person, list, changes), 400, 'INVALID_INPUT')
    expect(await countRows(person)).toEqual(nothing)
  })

  it('works for the days that the owner prefers, unless the call says otherwise', async () => {
    const person = await makePerson(app, { tier: 'premium' })
    const changes = { method: 'PATCH', headers: { 'content-type': 'application/json' } }
    const body = JSON.stringify({ defaultExpirationDays: 7 })
    expect((await person.fetch('/api/preferences', { ...changes, body })).status).toBe(200)
    const response = await requestLink(person, files(1), { expirationDays: undefined })
    const { uploads } = await readStarted(response)
    expect(uploads[0]?.metadata.expirationDays).toBe('7')
  })

  it('ignores fields that it does not have', async () => {
    const options = { shortCode: 'AAAAAAAAAA', downloadCount: 7, createdAt: '2000-01-01', id: 'x' }
    const { link } = await readStarted(await requestLink(owner, files(1), options))
    expect(link).toMatchObject({ downloadCount: 0, createdAt: app.clock().toISOString() })
    expect(link.shortCode).not.toBe('AAAAAAAAAA')
  })

  it('names every refused file among good ones, and starts nothing', async () => {
    const person = await makePerson(app, { tier: 'premium' })
    const list = files(5)
    for (const [index, fileSize] of [
      [1, 2 * gigabytes],
      [4, 3 * gigabytes],
    ] as const)
      list[index] = newFile({ fileSize })
    const response = await requestLink(person, list)
    expect(response.status).toBe(413)
    const body = await json<RefusedList>(response)
    expect(body.errors.map(({ index }) => index)).toEqual([1, 4])
    for (const error of body.errors)
      expect(error).toMatchObject({ code: body.code, message: body.message })
    expect(await countRows(person)).toEqual(nothing)
  })

  it('says 401 to a page of another user, before anything else', async () => {
    const stranger = await makePerson(app)
    const response = await requestLink(stranger, files(2), { ownerId: owner.id })
    await expectError(response, 401, 'UNAUTHORIZED')
    const { code } = await makeLink(stranger)
    const added = await requestMoreFiles(stranger, code, files(1), { ownerId: owner.id })
    await expectError(added, 401, 'UNAUTHORIZED')
    expect(await countRows(stranger)).toEqual({ links: 1, uploads: 0 })
  })
})

describe('the file limit of a tier', () => {
  it('counts files: names those beyond it, and keeps no slot', async () => {
    const person = await makePerson(app)
    const response = await requestLink(person, files(5))
    expect(response.status).toBe(403)
    const { errors } = await json<RefusedList>(response)
    expect(errors.map(({ index, code }) => [index, code])).toEqual([
      [3, 'TIER_FILE_COUNT'],
      [4, 'TIER_FILE_COUNT'],
    ])
    expect(await countRows(person)).toEqual(nothing)
    await readStarted(await requestLink(person, files(3)))
    await expectError(await requestUpload(person), 403, 'TIER_FILE_COUNT')
  })

  it.each([
    ['new links', (person: Person) => requestLink(person, files(2))],
    ['a link', async (person: Person, code: string) => requestMoreFiles(person, code, files(1))],
  ])('holds for parallel requests for %s', async (target, request) => {
    const person = await makePerson(app)
    const { link } = await readStarted(await requestLink(person, files(1)))
    const attempts = Array.from({ length: 6 }, () => request(person, link.shortCode))
    const statuses = (await Promise.all(attempts)).map(({ status }) => status)
    const expectedCount = target === 'a link' ? 2 : 1
    expect(statuses.filter((status) => status === 201)).toHaveLength(expectedCount)
    expect(statuses.filter((status) => status === 403)).toHaveLength(6 - expectedCount)
    expect((await countRows(person)).uploads).toBe(3)
  })
})

describe('an idempotency key', () => {
  const idempotencyKey = 'a key'

  it('returns the same link and uploads, also in parallel', async () => {
    const person = await makePerson(app, { tier: 'premium' })
    const attempts = Array.from({ length: 4 }, () =>
      requestLink(person, files(3), { idempotencyKey, title: 'x' }),
    )
    const started = await Promise.all((await Promise.all(attempts)).map(readStarted))
    const keysOf = ({ uploads: tickets }: StartedLink) => tickets.map(({ cloudKey }) => cloudKey)
    for (const other of started) {
      expect(other.link).toEqual(started[0]?.link)
      expect(keysOf(other)).toEqual(keysOf(started[0] as StartedLink))
    }
    expect(await countRows(person)).toEqual({ links: 1, uploads: 3 })
  })

  it.each([
    ['other files', [newFile({ fileSize: 11 }), newFile()], {}],
    ['more files', [newFile(), newFile(), newFile()], {}],
    ['other days', [newFile(), newFile()], { expirationDays: 5 }],
  ])('is refused for %s', async (_, list, changes) => {
    const person = await makePerson(app, { tier: 'premium' })
    await readStarted(await requestLink(person, [newFile(), newFile()], { idempotencyKey }))
    const response = await requestLink(person, list, { idempotencyKey, ...changes })
    await expectError(response, 400, 'INVALID_INPUT')
    expect(await countRows(person)).toEqual({ links: 1, uploads: 2 })
  })

  it('never mixes two links', async () => {
    const person = await makePerson(app, { tier: 'premium' })
    const first = await readStarted(await requestLink(person, files(2), { idempotencyKey }))
    await finishUploads(person, first.uploads.slice(0, 1), contentsOf(10))
    const again = await requestLink(person, files(2), { idempotencyKey })
    await expectError(again, 400, 'INVALID_INPUT')
    const other = await readStarted(await requestLink(person, files(1)))
    const added = await requestMoreFiles(person, other.link.shortCode, files(2), { idempotencyKey })
    await expectError(added, 400, 'INVALID_INPUT')
    expect(await countRows(person)).toEqual({ links: 2, uploads: 2 })
  })
})
