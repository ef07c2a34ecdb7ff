import { randomInt } from 'node:crypto'
import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { getFileRow } from '../../../tests/support/file-rows.ts'
import {
  json,
  makeClient,
  makeFile,
  makePerson,
  type Person,
  requestDeletion,
  requestRenewal,
} from '../../../tests/support/make.ts'
import { insertFiles } from '../../../tests/support/many-files.ts'
import { makeRace, runAfter } from '../../../tests/support/race.ts'
import { chooseRounds } from '../../../tests/support/rounds.ts'
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts'
import type { File } from '../../shared/contract/files.ts'
import { files, shortCodes } from '../db/schema.ts'
import { renewFile } from '../links/renew-link.ts'
import { deleteExpiredFiles, deleteFiles } from './delete-files.ts'
import { expireFiles } from './expire-files.ts'

/*
 * These tests run pairs of operations on one file in parallel, many times each, on a real Postgres.
 * The assertions check the state after both have finished.
 */

const rounds = chooseRounds(4, 100)
const day = 24 * 60 * 60_000

let app: TestApp
let ada: Person
beforeAll(async () => {
  app = await startTestApp()
  ada = await makePerson(app, { tier: 'premium' })
})
afterAll(async () => {
  const failures = app.logLines.filter(({ level }) => level >= 50)
  await app.close()
  expect(failures).toEqual([])
})

/** Runs `work` after a random delay of at most 3 ms. */
function afterRandomDelay<T>(work: () => Promise<T>): Promise<T> {
  return runAfter(randomInt(4), work)
}

async function rowOf(id: string) {
  const [row] = await app.deps.db.select().from(files).where(eq(files.id, id))
  return row
}

/**
 * Downloads from a link. Returns true if the download succeeds, after asserting that it has exactly
 * these bytes. Otherwise asserts a 404 and returns false.
 */
async function canDownload(code: string, bytes: Uint8Array) {
  const response = await makeClient(app).fetch(`/api/download/${code}`)
  const body = Buffer.from(await response.arrayBuffer())
  if (response.status === 200) expect(body.equals(Buffer.from(bytes))).toBe(true)
  else expect(response.status).toBe(404)
  return response.status === 200
}

/**
 * Returns the short codes from the successful responses. Asserts that every other response has one
 * of these statuses.
 */
async function readShortCodes(responses: Response[], otherStatuses: number[]) {
  const codes: string[] = []
  for (const response of responses) {
    if (response.status === 200) codes.push((await json<File>(response)).shortCode)
    else expect(otherStatuses).toContain(response.status)
  }
  return codes
}

async function findActiveCodes(codes: string[], bytes: Uint8Array) {
  const activeCodes: string[] = []
  for (const code of codes) if (await canDownload(code, bytes)) activeCodes.push(code)
  return activeCodes
}

describe('parallel renewals', () => {
  it('leave one active link, and issue no code twice', async () => {
    const file = await makeFile(ada)
    const issuedCodes = [file.shortCode]
    for (let round = 0; round < rounds; round += 1) {
      const responses = await Promise.all(
        [1, 2, 3].map(() => afterRandomDelay(() => requestRenewal(ada, file.id))),
      )
      const codes = await readShortCodes(responses, [])
      expect(codes).toHaveLength(3)
      const previousCode = issuedCodes.at(-1) ?? ''
      const activeCodes = await findActiveCodes([previousCode, ...codes], file.bytes)
      expect(activeCodes).toEqual([(await getFileRow(app, file.id)).shortCode])
      expect(codes).toContain(activeCodes[0])
      issuedCodes.push(...codes.filter((code) => code !== activeCodes[0]), ...activeCodes)
    }
    expect(new Set(issuedCodes).size).toBe(1 + 3 * rounds)
    const recordedCodes = new Set(
      (await app.deps.db.select().from(shortCodes)).map(({ code }) => code),
    )
    for (const code of issuedCodes) expect(recordedCodes).toContain(code)
  })
})

/** Inserts file rows without stored bytes. */
async function makeRows(owner: Person, count: number) {
  await insertFiles(app, owner.id, count)
  return json<File[]>(await owner.fetch(`/api/files?limit=${count}`))
}

describe('a renewal and a deletion in parallel', () => {
  it.each<[string, (owner: Person, id: string) => Promise<Response>]>([
    ['a single deletion', (owner, id) => owner.fetch(`/api/files/${id}`, { method: 'DELETE' })],
    ['a bulk deletion', (owner, id) => requestDeletion(owner, [id])],
  ])('leave no link: %s', async (_, remove) => {
    const race = makeRace(rounds)
    const eve = await makePerson(app, { tier: 'premium' })
    while (race.needsRound()) {
      const [{ id, shortCode } = { id: '', shortCode: '' }] = await makeRows(eve, 1)
      const [renewal, deletion] = await race.run(
        () => requestRenewal(eve, id),
        () => remove(eve, id),
      )
      expect(deletion.status).toBe(200)
      const codes = await readShortCodes([renewal], [404])
      race.recordWin(codes.length > 0 ? 'first' : 'second')
      for (const code of [shortCode, ...codes]) {
        expect((await makeClient(app).fetch(`/api/links/${code}`)).status).toBe(404)
      }
      const row = await rowOf(id)
      if (row) expect(row.deletedAt).not.toBeNull()
    }
    expect(await json(await eve.fetch('/api/files'))).toEqual([])
    await expireFiles(app.deps)
  })
})

describe('two deletions of the same files in parallel', () => {
  it('delete each file once without deadlock, whatever the order of the ids', async () => {
    const eve = await makePerson(app, { tier: 'premium' })
    for (let round = 0; round < rounds; round += 1) {
      const ids = (await makeRows(eve, 20)).map(({ id }) => id)
      const responses = await Promise.all([
        afterRandomDelay(() => requestDeletion(eve, ids)),
        afterRandomDelay(() => requestDeletion(eve, ids.toReversed())),
      ])
      const results = await Promise.all(
        responses.map((response) => json<{ deletedCount: number; notFound: string[] }>(response)),
      )
      expect(results.reduce((sum, { deletedCount }) => sum + deletedCount, 0)).toBe(ids.length)
      expect(results.flatMap(({ notFound }) => notFound).toSorted()).toEqual(ids.toSorted())
      expect(await app.deps.db.$count(files, eq(files.ownerId, eve.id))).toBe(0)
    }
  })
})

describe('a purge and a clearing of history in parallel', () => {
  it('remove every row without deadlock', async () => {
    const eve = await makePerson(app)
    for (let round = 0; round < rounds; round += 1) {
      await insertFiles(app, eve.id, 10)
      app.clock.advance(3 * day)
      const [clearedCount] = await Promise.all([
        afterRandomDelay(() => deleteExpiredFiles(app.deps, { id: eve.id, tier: 'free' })),
        afterRandomDelay(() => expireFiles(app.deps)),
      ])
      expect(clearedCount).toBe(10)
      await expireFiles(app.deps)
      expect(await app.deps.db.$count(files, eq(files.ownerId, eve.id))).toBe(0)
    }
  })
})

describe('an expiry and a download in parallel', () => {
  it('serve either all bytes or none, and none after the purge', async () => {
    const race = makeRace(rounds)
    const bob = await makePerson(app)
    const now = app.clock()
    while (race.needsRound()) {
      const file = await makeFile(bob, { bytes: new Uint8Array(200_000).fill(7) })
      const expiry = new Date(file.expiresAt)
      const purge = () => expireFiles({ ...app.deps, clock: () => expiry })
      // The server that purges has a clock a millisecond ahead of the server that sends the file.
      app.clock.set(new Date(expiry.getTime() - 1))
      const [isServed] = await race.run(() => canDownload(file.shortCode, file.bytes), purge)
      race.recordWin(isServed ? 'first' : 'second')
      // The first purge may have skipped the file, which is locked while its download is counted.
      await purge()
      const row = await rowOf(file.id)
      expect(row?.purgedAt).toEqual(expiry)
      expect(await app.storage.storedSize(row?.storageKey ?? '')).toBeNull()
      expect(await canDownload(file.shortCode, file.bytes)).toBe(false)
      await expect.poll(async () => (await rowOf(file.id))?.downloadCount).toBe(isServed ? 1 : 0)
      app.clock.set(now)
    }
  })
})

describe('a purge and a renewal in parallel', () => {
  /** Renews the file. Returns the new code, or an empty list if the file was purged. */
  const renew = async (owner: Person, id: string) => {
    try {
      return [(await renewFile(app.deps, owner.id, id, 3)).shortCode]
    } catch (error) {
      expect(error).toMatchObject({ code: 'FILE_GONE' })
      return []
    }
  }

  it('never leave an active link without bytes at the end of the 30 days', async () => {
    const race = makeRace(rounds)
    const eve = await makePerson(app, { tier: 'premium' })
    const now = app.clock()
    while (race.needsRound()) {
      const file = await makeFile(eve)
      app.clock.set(new Date(now.getTime() + 30 * day - 1))
      const purgeTime = new Date(app.clock().getTime() + 1)
      const [codes] = await race.run(
        () => renew(eve, file.id),
        () => expireFiles({ ...app.deps, clock: () => purgeTime }),
      )
      race.recordWin(codes.length > 0 ? 'first' : 'second')
      const activeCodes = await findActiveCodes([file.shortCode, ...codes], file.bytes)
      const row = await rowOf(file.id)
      const isStored = row?.purgingAt === null
      expect(activeCodes).toEqual(isStored ? codes : [])
      expect(await app.storage.storedSize(row?.storageKey ?? '')).toBe(isStored ? file.size : null)
      if (isStored) expect([(await getFileRow(app, file.id)).shortCode]).toEqual(codes)
      await deleteFiles(app.deps, eve.id, [file.id])
      app.clock.set(now)
    }
  })
})
