import { randomInt } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, expect, it } from 'vitest'
import {
  type Client,
  json,
  makeFile,
  makePerson,
  type Person,
  requestDeletion,
  requestRenewal,
} from '../../../tests/support/make.ts'
import { chooseRounds } from '../../../tests/support/rounds.ts'
import {
  canDownload,
  closeWithoutErrors,
  makeFileBytes,
  reportLink,
  startTakedownSetup,
  takeDown,
  uploadBytes,
} from '../../../tests/support/takedowns.ts'
import type { TestApp } from '../../../tests/support/test-app.ts'
import { requestConfirm } from '../../../tests/support/upload-requests.ts'
import type { File } from '../../shared/contract/files.ts'
import { files } from '../db/schema.ts'
import { expireFiles } from '../files/expire-files.ts'
import { computeDigests } from './compute-digests.ts'

/*
 * Each test runs a takedown in parallel with another action on the same content, on a real
 * Postgres. Afterward, no link to the content is active, none of its bytes are in storage, and it
 * can't be uploaded again.
 */

const rounds = chooseRounds(2, 12)
const maxTicks = 400

let app: TestApp
let admin: Person
let ada: Person
let bob: Person
let visitor: Client
beforeAll(async () => {
  ;({ app, admin, owner: ada, visitor } = await startTakedownSetup())
  bob = await makePerson(app, { tier: 'premium' })
})
afterAll(() => closeWithoutErrors(app))

/**
 * Calls `work` after a random number of event loop ticks, up to about the duration of one call
 * under test.
 */
async function afterRandomDelay<T>(work: () => Promise<T>): Promise<T> {
  for (let tick = randomInt(maxTicks); tick > 0; tick -= 1) await nextTurn()
  return work()
}

async function expectGone(codes: string[], keys: string[], bytes: Uint8Array<ArrayBuffer>) {
  for (const code of codes) expect(await canDownload(visitor, code)).toBe(false)
  await expireFiles(app.deps)
  for (const key of keys) expect(await app.storage.storedSize(key)).toBeNull()
  expect((await requestConfirm(bob, await uploadBytes(bob, bytes))).status).toBe(409)
  expect(await app.deps.db.$count(files, eq(files.ownerId, bob.id))).toBe(0)
}

async function findStorageKey(id: string) {
  const [row] = await app.deps.db.select().from(files).where(eq(files.id, id))
  return row?.storageKey ?? ''
}

it('with a renewal: neither the old link nor the new one is active', async () => {
  for (let round = 0; round < rounds; round += 1) {
    const file = await makeFile(ada, { bytes: makeFileBytes() })
    await reportLink(visitor, file.shortCode)
    const key = await findStorageKey(file.id)
    const [takedown, renewal] = await Promise.all([
      afterRandomDelay(() => takeDown(admin, file.shortCode)),
      afterRandomDelay(() => requestRenewal(ada, file.id)),
    ])
    expect(takedown.status).toBe(200)
    expect([200, 409]).toContain(renewal.status)
    const codes = renewal.status === 200 ? [(await json<File>(renewal)).shortCode] : []
    await expectGone([file.shortCode, ...codes], [key], file.bytes)
  }
})

it('with confirms of the same content by others: no link is left', async () => {
  for (let round = 0; round < rounds; round += 1) {
    const bytes = makeFileBytes()
    const file = await makeFile(ada, { bytes })
    const freeUser = await makePerson(app)
    const uploaders = [bob, bob, freeUser]
    const keys = await Promise.all(uploaders.map((person) => uploadBytes(person, bytes)))
    const [takedown, ...responses] = await Promise.all([
      afterRandomDelay(() => takeDown(admin, file.shortCode)),
      ...keys.map((key, index) =>
        afterRandomDelay(() => requestConfirm(uploaders[index] ?? bob, key)),
      ),
    ])
    expect(takedown.status).toBe(200)
    const codes: string[] = []
    for (const response of responses) {
      expect([200, 409]).toContain(response.status)
      if (response.status === 200) codes.push((await json<File>(response)).shortCode)
    }
    const ids = (await json<File[]>(await bob.fetch('/api/files'))).map(({ id }) => id)
    if (ids.length > 0) await requestDeletion(bob, ids)
    await expectGone([file.shortCode, ...codes], keys, bytes)
    // The takedown was complete, so the job has nothing left to do.
    expect(await computeDigests(app.deps)).toMatchObject({ takenDown: 0 })
  }
})

it('with downloads: each returns all of the bytes or none, and later ones return none', async () => {
  for (let round = 0; round < rounds; round += 1) {
    const file = await makeFile(ada, { bytes: makeFileBytes() })
    const key = await findStorageKey(file.id)
    const [takedown, ...downloads] = await Promise.all([
      afterRandomDelay(() => takeDown(admin, file.shortCode)),
      ...[1, 2, 3].map(() =>
        afterRandomDelay(async () => {
          const response = await visitor.fetch(`/api/download/${file.shortCode}`)
          return { status: response.status, body: Buffer.from(await response.arrayBuffer()) }
        }),
      ),
    ])
    expect(takedown.status).toBe(200)
    for (const { status, body } of downloads) {
      if (status === 200) expect(body.equals(Buffer.from(file.bytes))).toBe(true)
      else expect(status).toBe(404)
    }
    await expectGone([file.shortCode], [key], file.bytes)
  }
})

it('with a deletion: the content is blocked in either order, and both calls succeed', async () => {
  for (let round = 0; round < rounds; round += 1) {
    const [file, copy] = [await makeFile(ada), await makeFile(ada)]
    await reportLink(visitor, file.shortCode)
    const keys = [await findStorageKey(file.id), await findStorageKey(copy.id)]
    const [takedown, deletion] = await Promise.all([
      afterRandomDelay(() => takeDown(admin, file.shortCode)),
      afterRandomDelay(() => requestDeletion(ada, [file.id, copy.id])),
    ])
    expect([takedown.status, deletion.status]).toEqual([200, 200])
    await expectGone([file.shortCode, copy.shortCode], keys, file.bytes)
  }
})
