import { randomInt } from 'node:crypto'
import { eq } from 'drizzle-orm'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import {
  changeLink,
  contentsOf,
  deleteLink,
  fetchBytes,
  makeLink,
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
  requestDeletion,
} from '../../../tests/support/make.ts'
import { runAfter } from '../../../tests/support/race.ts'
import { chooseRounds } from '../../../tests/support/rounds.ts'
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts'
import { requestConfirm } from '../../../tests/support/upload-requests.ts'
import type { Link } from '../../shared/contract/links.ts'
import { bindStores } from '../boot/open-storage.ts'
import { files, links, removals, uploads, users } from '../db/schema.ts'
import { expireFiles } from '../files/expire-files.ts'
import { retryRemovals } from '../uploads/end-uploads.ts'

/*
 * These tests run pairs of operations on one link in parallel, on a real Postgres. The assertions
 * check the state after both have finished.
 */

const rounds = chooseRounds(3, 60)

let app: TestApp
let owner: Person
let admin: Person
beforeAll(async () => {
  app = await startTestApp()
  // A store without an installation id counts as missing in a takedown.
  await bindStores(app.deps)
  owner = await makePerson(app, { tier: 'premium' })
  admin = await makePerson(app, { role: 'admin' })
})
afterEach(async () => expect(await findWrongTotals(app.pool)).toEqual([]))
afterAll(async () => {
  const failures = app.logLines.filter(({ level }) => level >= 50)
  await app.close()
  expect(failures).toEqual([])
})

async function countRows(ownerId: string) {
  const { db } = app.deps
  return {
    links: await db.$count(links, eq(links.ownerId, ownerId)),
    uploads: await db.$count(uploads, eq(uploads.ownerId, ownerId)),
    files: await db.$count(files, eq(files.ownerId, ownerId)),
  }
}

async function removeAllBytes() {
  await expireFiles(app.deps)
  await retryRemovals(app.deps)
}

const nothing = { links: 0, uploads: 0, files: 0 }

/** Starts a link of which one file is there and the other only has to be confirmed. */
async function makeAlmostComplete() {
  const contents = contentsOf(10, 20)
  const { link, uploads: tickets } = await startLink(owner, contents)
  for (const [index, upload] of tickets.entries())
    await putBytes(upload, contents[index] as Uint8Array<ArrayBuffer>)
  const [first, second] = tickets.map(({ cloudKey }) => cloudKey)
  await requestConfirm(owner, first ?? '')
  return { code: link.shortCode, key: second ?? '' }
}

describe('the deletion of a link', () => {
  it('twice in parallel succeeds once, and then finds nothing', async () => {
    const { code } = await makeLink(owner)
    const attempts = Array.from({ length: 4 }, () => deleteLink(owner, code))
    const statuses = (await Promise.all(attempts)).map(({ status }) => status)
    expect(statuses.toSorted()).toEqual([200, 404, 404, 404])
    expect((await deleteLink(owner, code)).status).toBe(404)
    await removeAllBytes()
    expect(await countRows(owner.id)).toEqual(nothing)
  })

  it.each<[string, (code: string, key: string) => Promise<Response>, number[]]>([
    ['a confirm', (_, key) => requestConfirm(owner, key), [200, 404, 409]],
    ['added files', (code) => requestMoreFiles(owner, code), [201, 404]],
    ['a change', (code) => changeLink(owner, code, { title: 'x', password: 'y' }), [200, 404]],
    [
      'a renewal',
      (code) =>
        owner.fetch(`/api/links/${code}/renew`, {
          method: 'PATCH',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ expirationDays: 3 }),
        }),
      [200, 404],
    ],
    [
      'the deletion of its files',
      async (code) => {
        const link = await json<Link>(await owner.fetch(`/api/links/${code}`))
        return requestDeletion(owner, link.files?.map(({ id }) => id) ?? ['x'])
      },
      [200],
    ],
    [
      'a takedown',
      (code) => admin.post('/api/admin/takedown', { shortCode: code, reason: 'x' }),
      [200, 404],
    ],
    ['a download', (code) => makeClient(app).fetch(`/api/download/${code}`), [404, 503]],
  ])('and %s in parallel leave nothing, without deadlock', async (_, other, otherStatuses) => {
    for (let round = 0; round < rounds; round += 1) {
      const { code, key } = await makeAlmostComplete()
      const [deletion, { status }] = await Promise.all([
        runAfter(randomInt(6), () => deleteLink(owner, code)),
        runAfter(randomInt(6), () => other(code, key)),
      ])
      expect([200, 404]).toContain(deletion.status)
      expect(otherStatuses).toContain(status)
      if (deletion.status === 200) expect((await fetchBytes(app, code)).status).toBe(404)
      const rest = await json<Link[]>(await owner.fetch('/api/links'))
      for (const { shortCode } of rest) await deleteLink(owner, shortCode)
      await removeAllBytes()
      expect(await countRows(owner.id)).toEqual(nothing)
    }
    expect(await app.deps.db.$count(removals)).toBe(0)
  })
})

describe('the deletion of an account', () => {
  it.each<[string, (person: Person, code: string, key: string) => Promise<Response>]>([
    ['the deletion of a link', (person, code) => deleteLink(person, code)],
    ['a confirm', (person, _, key) => requestConfirm(person, key)],
    ['added files', (person, code) => requestMoreFiles(person, code)],
  ])('and %s in parallel leave nothing, without deadlock', async (_, other) => {
    for (let round = 0; round < 2; round += 1) {
      const person = await makePerson(app, { tier: 'premium' })
      const { code } = await makeLink(person, { maxDownloads: 5, password: 'x' })
      const { link, uploads: tickets } = await startLink(person, contentsOf(10, 20))
      if (tickets[0]) await putBytes(tickets[0], new Uint8Array(10))
      const [deletion, { status }] = await Promise.all([
        admin.fetch(`/api/admin/users/${person.id}`, { method: 'DELETE' }),
        other(person, round % 2 === 0 ? code : link.shortCode, tickets[0]?.cloudKey ?? ''),
      ])
      expect(deletion.status).toBe(200)
      expect([200, 201, 401, 404, 409]).toContain(status)
      expect(await app.deps.db.$count(users, eq(users.id, person.id))).toBe(0)
      expect(await countRows(person.id)).toEqual(nothing)
    }
    await removeAllBytes()
    expect(await app.deps.db.$count(removals)).toBe(0)
  })
})

describe('the deletion of files', () => {
  it('ends the link with the last one', async () => {
    const { code, files: linkFiles } = await makeLink(owner)
    for (const [index, { id }] of linkFiles.entries()) {
      expect((await owner.fetch(`/api/files/${id}`, { method: 'DELETE' })).status).toBe(200)
      const status = index === 0 ? 200 : 404
      expect((await fetchBytes(app, code)).status).toBe(status)
      expect((await owner.fetch(`/api/links/${code}`)).status).toBe(status)
    }
    expect((await countRows(owner.id)).links).toBe(0)
  })

  it('in parallel ends the link too', async () => {
    for (let round = 0; round < rounds; round += 1) {
      const { code, files: linkFiles } = await makeLink(owner, {}, contentsOf(1, 1, 1))
      const ids = linkFiles.map(({ id }) => id)
      await Promise.all([
        requestDeletion(owner, ids.slice(0, 2)),
        requestDeletion(owner, ids.slice(1).toReversed()),
        owner.fetch(`/api/files/${ids[2]}`, { method: 'DELETE' }),
      ])
      expect((await fetchBytes(app, code)).status).toBe(404)
      expect((await countRows(owner.id)).links).toBe(0)
    }
  })
})
