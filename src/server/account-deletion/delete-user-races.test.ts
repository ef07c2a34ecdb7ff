import { eq, inArray } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { requestUserDeletion } from '../../../tests/support/admin-requests.ts'
import {
  json,
  makeClient,
  makeFile,
  makePerson,
  type Person,
  putBytes,
  requestRenewal,
  type StartedUpload,
  startUpload,
} from '../../../tests/support/make.ts'
import { makeRace } from '../../../tests/support/race.ts'
import { chooseRounds } from '../../../tests/support/rounds.ts'
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts'
import { requestConfirm, requestUpload } from '../../../tests/support/upload-requests.ts'
import type { File } from '../../shared/contract/files.ts'
import {
  deletionReceipts,
  fileDownloads,
  files,
  ownerDownloads,
  removals,
  sessions,
  uploads,
  users,
} from '../db/schema.ts'
import { retryRemovals } from '../uploads/end-uploads.ts'

/*
 * Each test repeatedly deletes a user while that user performs another operation, on a real
 * Postgres. Whichever finishes first, no trace of the user is left, and all bytes are removed or
 * scheduled for removal.
 */

const rounds = chooseRounds(3, 14)

let app: TestApp
let admin: Person
beforeAll(async () => {
  app = await startTestApp()
  admin = await makePerson(app, { role: 'admin' })
})
afterAll(async () => {
  const errorLines = app.logLines.filter(({ level }) => level >= 50)
  await app.close()
  expect(errorLines).toEqual([])
})

async function upload(person: Person): Promise<StartedUpload> {
  const newUpload = await startUpload(person, { size: 10 })
  await putBytes(newUpload, new Uint8Array(10))
  return newUpload
}

async function deletePerson({ id, email }: Person) {
  const response = await requestUserDeletion(admin, id, { email })
  expect(response.status).toBe(200)
}

/**
 * Asserts that nothing is left of the user except the scheduled removals of `keys`. Then runs the
 * removals and asserts that the bytes are gone.
 */
async function expectNoTraces({ id }: Person, keys: string[]) {
  const { db } = app.deps
  for (const [table, owner] of [
    [users, users.id],
    [files, files.ownerId],
    [uploads, uploads.ownerId],
    [sessions, sessions.userId],
    [ownerDownloads, ownerDownloads.ownerId],
  ] as const) {
    expect(await db.$count(table, eq(owner, id))).toBe(0)
  }
  const scheduledRemovals = await db
    .select({ key: removals.storageKey })
    .from(removals)
    .where(inArray(removals.storageKey, keys))
  for (const key of keys) {
    if ((await app.storage.storedSize(key)) !== null)
      expect(scheduledRemovals).toContainEqual({ key })
  }
  await retryRemovals(app.deps)
  for (const key of keys) expect(await app.storage.storedSize(key)).toBeNull()
}

async function downloadStatus(code: string) {
  const response = await makeClient(app).fetch(`/api/download/${code}`)
  await response.arrayBuffer()
  return response.status
}

async function findStorageKey({ id }: Pick<File, 'id'>) {
  const [row] = await app.deps.db.select().from(files).where(eq(files.id, id))
  return row?.storageKey ?? ''
}

describe('deleting a user', () => {
  it.each(['free', 'premium'] as const)('races with a confirm (%s)', async (tier) => {
    const race = makeRace(rounds)
    while (race.needsRound()) {
      const ada = await makePerson(app, { tier })
      const { cloudKey } = await upload(ada)
      const [confirmResponse] = await race.run(
        () => requestConfirm(ada, cloudKey),
        () => deletePerson(ada),
      )
      expect([200, 401, 404]).toContain(confirmResponse.status)
      race.recordWin(confirmResponse.status === 200 ? 'first' : 'second')
      await expectNoTraces(ada, [cloudKey])
      if (confirmResponse.status !== 200) continue
      const { id, shortCode } = await json<File>(confirmResponse)
      expect(await downloadStatus(shortCode)).toBe(404)
      expect(await app.deps.db.$count(deletionReceipts, eq(deletionReceipts.fileId, id))).toBe(1)
    }
  })

  it.each(['free', 'premium'] as const)('races with the start of an upload (%s)', async (tier) => {
    const race = makeRace(rounds)
    while (race.needsRound()) {
      const ada = await makePerson(app, { tier })
      const [startResponse] = await race.run(
        () => requestUpload(ada),
        () => deletePerson(ada),
      )
      expect([200, 401, 404]).toContain(startResponse.status)
      race.recordWin(startResponse.status === 200 ? 'first' : 'second')
      const body = await json<Partial<StartedUpload>>(startResponse)
      if (body.uploadUrl !== undefined) {
        const lateUploadResponse = await fetch(body.uploadUrl, {
          method: 'PUT',
          headers: { 'content-type': 'text/plain' },
          body: new Uint8Array(10),
        })
        expect(lateUploadResponse.status).toBe(404)
      }
      await expectNoTraces(ada, body.cloudKey === undefined ? [] : [body.cloudKey])
    }
  })

  it('is safe during a renewal', async () => {
    const race = makeRace(rounds)
    while (race.needsRound()) {
      const ada = await makePerson(app, { tier: 'premium' })
      const file = await makeFile(ada)
      const key = await findStorageKey(file)
      const [renewalResponse] = await race.run(
        () => requestRenewal(ada, file.id),
        () => deletePerson(ada),
      )
      expect([200, 401, 404]).toContain(renewalResponse.status)
      race.recordWin(renewalResponse.status === 200 ? 'first' : 'second')
      const codes = [file.shortCode]
      if (renewalResponse.status === 200) codes.push((await json<File>(renewalResponse)).shortCode)
      for (const code of codes) expect(await downloadStatus(code)).toBe(404)
      await expectNoTraces(ada, [key])
    }
  })

  it('is safe during a download', async () => {
    const race = makeRace(rounds)
    while (race.needsRound()) {
      const ada = await makePerson(app)
      const file = await makeFile(ada)
      const key = await findStorageKey(file)
      const [status] = await race.run(
        () => downloadStatus(file.shortCode),
        () => deletePerson(ada),
      )
      expect([200, 404]).toContain(status)
      race.recordWin(status === 200 ? 'first' : 'second')
      await expectNoTraces(ada, [key])
      expect(await app.deps.db.$count(fileDownloads, eq(fileDownloads.fileId, file.id))).toBe(0)
    }
  })

  it('is safe during a sign-in', async () => {
    const race = makeRace(rounds)
    while (race.needsRound()) {
      const ada = await makePerson(app)
      const { email, password } = ada
      const [loginResponse] = await race.run(
        () => makeClient(app).post('/api/auth/login', { email, password }),
        () => deletePerson(ada),
      )
      expect([200, 401]).toContain(loginResponse.status)
      race.recordWin(loginResponse.status === 200 ? 'first' : 'second')
      const cookie = loginResponse.headers
        .getSetCookie()
        .map((setCookie) => setCookie.split(';', 1)[0])
      const { status } = await makeClient(app, cookie.join('; ')).fetch('/api/files')
      expect(status).toBe(401)
      await expectNoTraces(ada, [])
    }
  })

  it('is safe during all of these operations at once', async () => {
    for (let round = 0; round < rounds; round += 1) {
      const ada = await makePerson(app, { tier: 'premium' })
      const readyFiles = await Promise.all([1, 2, 3].map(() => makeFile(ada)))
      const openUploads = await Promise.all([1, 2, 3].map(() => upload(ada)))
      const keys = await Promise.all(readyFiles.map(findStorageKey))
      const { email, password } = ada
      const statuses = await Promise.all([
        ...openUploads.map(async ({ cloudKey }) => (await requestConfirm(ada, cloudKey)).status),
        ...readyFiles.map(({ shortCode }) => downloadStatus(shortCode)),
        ...readyFiles.map(async ({ id }) => (await requestRenewal(ada, id)).status),
        ada.post('/api/auth/toggle-premium').then(({ status }) => status),
        makeClient(app)
          .post('/api/auth/login', { email, password })
          .then(({ status }) => status),
        deletePerson(ada).then(() => 200),
      ])
      for (const status of statuses) expect([200, 401, 403, 404]).toContain(status)
      await expectNoTraces(ada, [...keys, ...openUploads.map(({ cloudKey }) => cloudKey)])
    }
  })
})
