import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { eventually } from '../../../tests/support/eventually.ts'
import { makePerson, type Person, putBytes, startUpload } from '../../../tests/support/make.ts'
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts'
import { abortUpload, requestUpload } from '../../../tests/support/upload-requests.ts'
import { removals } from '../db/schema.ts'
import { reportOverdueRemovals, retryRemovals, sweepUploads } from './end-uploads.ts'

const minute = 60_000
const hour = 60 * minute

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
afterEach(async () => {
  vi.restoreAllMocks()
  app.clock.advance(25 * hour)
  await sweepUploads(app.deps)
  await retryRemovals(app.deps)
  expect(await listRemovals()).toEqual([])
  app.logLines.length = 0
})
afterAll(() => app.close())

function listRemovals() {
  return app.deps.db.select().from(removals)
}
function errors() {
  return app.logLines.filter(({ level }) => level >= 50)
}
function isStored(cloudKey: string) {
  return app.storage.storedSize(cloudKey)
}
function failRemovals() {
  return vi.spyOn(app.deps.stores.current, 'remove').mockRejectedValue(new Error('EIO'))
}

async function upload(person: Person) {
  const startedUpload = await startUpload(person, { size: 1 })
  await putBytes(startedUpload, Uint8Array.of(65))
  return startedUpload
}

/** Aborts an upload while removals fail. Returns its key. */
async function abortWithFailedRemoval() {
  const person = await makePerson(app)
  const { cloudKey } = await upload(person)
  const failingRemove = failRemovals()
  expect((await abortUpload(person, cloudKey)).status).toBe(200)
  failingRemove.mockRestore()
  expect(await isStored(cloudKey)).toBe(1)
  return cloudKey
}

describe('bytes of an ended upload whose removal failed', () => {
  it.each([
    ['aborted', (person: Person, key: string) => abortUpload(person, key)],
    [
      'idle for 24 h',
      async () => {
        app.clock.advance(24 * hour + 1)
        expect(await sweepUploads(app.deps)).toBe(1)
      },
    ],
    [
      'displaced by newer uploads',
      async (person: Person) => {
        for (let uploadCount = 0; uploadCount < 6; uploadCount += 1) {
          app.clock.advance(16 * minute)
          expect((await requestUpload(person)).status).toBe(200)
        }
      },
    ],
  ])('are removed within minutes if the upload was %s', async (_, endUpload) => {
    const person = await makePerson(app)
    const { cloudKey } = await upload(person)
    const failingRemove = failRemovals()
    await endUpload(person, cloudKey)
    failingRemove.mockRestore()
    expect(await isStored(cloudKey)).toBe(1)
    expect(await listRemovals()).toMatchObject([{ storageKey: cloudKey, storage: 'disk' }])
    app.clock.advance(2 * minute)
    expect(await retryRemovals(app.deps)).toEqual({ removed: 1, failed: 0 })
    expect(await isStored(cloudKey)).toBeNull()
  })

  it('are removed even if the server that started the removal hangs', async () => {
    const person = await makePerson(app)
    const { cloudKey } = await upload(person)
    const removal = Promise.withResolvers<void>()
    const stuckRemove = vi
      .spyOn(app.deps.stores.current, 'remove')
      .mockImplementation(() => removal.promise)
    const abortCall = abortUpload(person, cloudKey)
    await eventually(() => expect(stuckRemove).toHaveBeenCalled())
    stuckRemove.mockRestore()
    app.clock.advance(2 * minute)
    expect(await retryRemovals(app.deps)).toEqual({ removed: 1, failed: 0 })
    expect(await isStored(cloudKey)).toBeNull()
    removal.resolve()
    expect((await abortCall).status).toBe(200)
  })

  it('are retried without limit after 2, 4, 8 and then 10 minutes, with a log line each time', async () => {
    const cloudKey = await abortWithFailedRemoval()
    for (const waitMinutes of [2, 4, 8, 10, 10, 10, 10, 10, 10, 10, 10, 10]) {
      app.clock.advance(waitMinutes * minute - 1)
      expect(await retryRemovals(app.deps)).toEqual({ removed: 0, failed: 0 })
      app.clock.advance(1)
      app.logLines.length = 0
      const failingRemove = failRemovals()
      expect(await retryRemovals(app.deps)).toEqual({ removed: 0, failed: 1 })
      failingRemove.mockRestore()
      expect(errors()).toMatchObject([{ store: 'disk', count: 1 }])
    }
    app.clock.advance(10 * minute)
    const runs = await Promise.all([retryRemovals(app.deps), retryRemovals(app.deps)])
    expect(runs.reduce((sum, { removed: removal }) => sum + removal, 0)).toBe(1)
    expect(await isStored(cloudKey)).toBeNull()
  })

  it('are retried when storage does not confirm the removal', async () => {
    const person = await makePerson(app)
    const { cloudKey } = await upload(person)
    const noopRemove = vi.spyOn(app.deps.stores.current, 'remove').mockResolvedValue()
    await abortUpload(person, cloudKey)
    app.clock.advance(2 * minute)
    expect(await retryRemovals(app.deps)).toEqual({ removed: 0, failed: 1 })
    noopRemove.mockRestore()
    app.clock.advance(4 * minute)
    expect(await retryRemovals(app.deps)).toEqual({ removed: 1, failed: 0 })
    expect(await isStored(cloudKey)).toBeNull()
  })

  it('are reported as overdue after 15 minutes', async () => {
    const since = app.clock()
    await abortWithFailedRemoval()
    app.clock.advance(15 * minute - 1)
    expect(await reportOverdueRemovals(app.deps)).toBe(0)
    app.clock.advance(1)
    expect(await reportOverdueRemovals(app.deps)).toBe(1)
    expect(errors()).toMatchObject([{ count: 1, since: since.toISOString() }])
    await retryRemovals(app.deps)
    expect(await reportOverdueRemovals(app.deps)).toBe(0)
  })

  it('are due 24 hours after the last activity of an idle upload, even if the job is late', async () => {
    const { cloudKey } = await upload(await makePerson(app))
    const dueAt = new Date(app.clock().getTime() + 24 * hour)
    app.clock.advance(7 * 24 * hour)
    failRemovals()
    await sweepUploads(app.deps)
    expect(await listRemovals()).toMatchObject([{ storageKey: cloudKey, dueAt }])
    expect(await reportOverdueRemovals(app.deps)).toBe(1)
  })
})

describe('an upload that ends', () => {
  it('leaves no `removals` row once its bytes are gone or it became a file', async () => {
    const person = await makePerson(app)
    const [abortedUpload, confirmedUpload] = [await upload(person), await upload(person)]
    await abortUpload(person, abortedUpload.cloudKey)
    await person.post('/api/files/confirm-upload', { cloudKey: confirmedUpload.cloudKey })
    expect(await listRemovals()).toEqual([])
    expect(await isStored(confirmedUpload.cloudKey)).toBe(1)
  })
})
