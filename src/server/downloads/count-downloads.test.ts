import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { getFileRow } from '../../../tests/support/file-rows.ts'
import { makeClient, makeFile, makePerson, type Person } from '../../../tests/support/make.ts'
import { chooseRounds } from '../../../tests/support/rounds.ts'
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts'
import { fileDownloads, files, ownerDownloads } from '../db/schema.ts'
import { expireFiles } from '../files/expire-files.ts'
import { makeDownloadCounter, prepareWriteCount } from './queries.ts'

const rounds = chooseRounds(8, 100)
const day = 24 * 60 * 60_000

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

async function download(shortCode: string): Promise<number> {
  const response = await makeClient(app).fetch(`/api/download/${shortCode}`)
  await response.arrayBuffer()
  return response.status
}

function downloadAtOnce(shortCode: string, count: number): Promise<number[]> {
  return Promise.all(Array.from({ length: count }, () => download(shortCode)))
}

/** Reads a file's download counts, in total and per day. The total is null if the file is gone. */
async function countsOf(id: string) {
  const { db } = app.deps
  const [file] = await db.select({ total: files.downloadCount }).from(files).where(eq(files.id, id))
  const days = await db
    .select({ day: fileDownloads.day, count: fileDownloads.count })
    .from(fileDownloads)
    .where(eq(fileDownloads.fileId, id))
    .orderBy(fileDownloads.day)
  return { total: file?.total ?? null, days }
}

function today() {
  return app.clock().toISOString().slice(0, 10)
}

describe('parallel downloads of one link', () => {
  it('are all counted', async () => {
    const { id, shortCode } = await makeFile(owner)
    expect(new Set(await downloadAtOnce(shortCode, 100))).toEqual(new Set([200]))
    expect(await countsOf(id)).toEqual({ total: 100, days: [{ day: today(), count: 100 }] })
  })

  it('are counted before the response', async () => {
    const { id, shortCode } = await makeFile(owner)
    let responseCount = 0
    await Promise.all(
      Array.from({ length: 20 }, async () => {
        const response = await makeClient(app).fetch(`/api/download/${shortCode}`)
        responseCount += 1
        const minCount = responseCount
        // A download is counted before its first byte is sent. `fetch` resolves when the headers
        // arrive, so the body may still be in flight.
        expect((await countsOf(id)).total).toBeGreaterThanOrEqual(minCount)
        await response.arrayBuffer()
      }),
    )
    expect((await countsOf(id)).total).toBe(20)
  })

  it('are all counted across several servers', async () => {
    const { id } = await makeFile(owner)
    const linkId = (await getFileRow(app, id)).linkId ?? ''
    const servers = [1, 2, 3].map(() => makeDownloadCounter(prepareWriteCount(app.deps.db)))
    const pendingCounts = servers.flatMap((count) =>
      Array.from({ length: 100 }, () => count({ linkId, fileId: id }, app.clock())),
    )
    await Promise.all(pendingCounts)
    expect((await countsOf(id)).total).toBe(300)
  })

  it('of many links are all counted for their owner', async () => {
    const bob = await makePerson(app, { tier: 'premium' })
    const bobFiles = await Promise.all(Array.from({ length: 6 }, () => makeFile(bob)))
    await Promise.all(bobFiles.map(({ shortCode }) => downloadAtOnce(shortCode, 10)))
    const rows = await app.deps.db
      .select()
      .from(ownerDownloads)
      .where(eq(ownerDownloads.ownerId, bob.id))
    expect(rows.reduce((sum, { count }) => sum + count, 0)).toBe(60)
    // The last byte of a file's id selects one of 16 rows, so several files may share a row.
    expect(rows.length).toBeGreaterThan(1)
    expect(rows.length).toBeLessThanOrEqual(16)
  })

  it('count towards the right day around midnight', async () => {
    const originalTime = app.clock()
    const { id, shortCode } = await makeFile(owner)
    const midnight = Math.ceil((originalTime.getTime() + 1) / day) * day
    app.clock.set(new Date(midnight - 1))
    await downloadAtOnce(shortCode, 10)
    app.clock.set(new Date(midnight))
    await downloadAtOnce(shortCode, 5)
    const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10)
    expect(await countsOf(id)).toEqual({
      total: 15,
      days: [
        { day: dayOf(midnight - 1), count: 10 },
        { day: dayOf(midnight), count: 5 },
      ],
    })
    app.clock.set(originalTime)
  })

  it("are sent even if they can't be counted", async () => {
    const { id, shortCode } = await makeFile(owner)
    await app.pool.query('alter table file_downloads rename to file_downloads_away')
    expect(await downloadAtOnce(shortCode, 5)).toEqual([200, 200, 200, 200, 200])
    await app.pool.query('alter table file_downloads_away rename to file_downloads')
    expect((await countsOf(id)).total).toBe(0)
    const failures = app.logLines.filter(({ msg }) => msg === 'Cannot count a download')
    expect(failures).toHaveLength(5)
    expect(new Set(failures.map(({ requestId }) => requestId)).size).toBe(5)
    app.logLines.splice(0)
    await download(shortCode)
    expect((await countsOf(id)).total).toBe(1)
  })
})

describe(`in ${rounds} parallel rounds`, () => {
  it('a deletion during downloads leaves no counts for the file', async () => {
    for (let round = 0; round < rounds; round += 1) {
      const { id, shortCode } = await makeFile(owner, { bytes: new Uint8Array(10) })
      const [statuses, deletion] = await Promise.all([
        downloadAtOnce(shortCode, 4),
        owner.fetch(`/api/files/${id}`, { method: 'DELETE' }),
      ])
      expect(deletion.status).toBe(200)
      for (const status of statuses) expect([200, 404]).toContain(status)
      expect(await countsOf(id)).toEqual({ total: null, days: [] })
    }
  })

  it('every served download is counted even if the link expires during it', async () => {
    const freeUser = await makePerson(app)
    for (let round = 0; round < rounds; round += 1) {
      const originalTime = app.clock()
      const { id, shortCode, expiresAt } = await makeFile(freeUser, { bytes: new Uint8Array(10) })
      app.clock.set(new Date(Date.parse(expiresAt) - 1))
      const downloadsBeforeExpiry = downloadAtOnce(shortCode, 3)
      const downloadsAfterExpiry = (async () => {
        app.clock.set(new Date(expiresAt))
        const downloads = downloadAtOnce(shortCode, 3)
        await expireFiles(app.deps)
        return downloads
      })()
      const statuses = [...(await downloadsBeforeExpiry), ...(await downloadsAfterExpiry)]
      for (const status of statuses) expect([200, 404]).toContain(status)
      const { total, days } = await countsOf(id)
      // If the bytes were already gone, the download got an error and doesn't count.
      expect(total).toBe(statuses.filter((status) => status === 200).length)
      expect(days.reduce((sum, { count }) => sum + count, 0)).toBe(total)
      await app.deps.db.delete(files).where(eq(files.id, id))
      app.clock.set(originalTime)
    }
  })
})
