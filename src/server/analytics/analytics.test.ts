import { eq, like, lt } from 'drizzle-orm'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { timeFromNow, updateFiles } from '../../../tests/support/file-rows.ts'
import {
  json,
  makeClient,
  makeFile,
  makePerson,
  type Person,
  requestDeletion,
  requestRenewal,
  signInAgain,
} from '../../../tests/support/make.ts'
import { insertFiles } from '../../../tests/support/many-files.ts'
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts'
import type { Analytics } from '../../shared/contract/analytics.ts'
import { type FileKind, fileKind, fileKinds } from '../../shared/rules/files/file-kind.ts'
import { utcDay } from '../../shared/rules/format/day.ts'
import { isEndingSoon, linkStatus } from '../../shared/rules/links/link-status.ts'
import { files, ownerDownloads, users } from '../db/schema.ts'
import { expireFiles } from '../files/expire-files.ts'
import { removeOldDays } from './queries.ts'

const hour = 60 * 60_000
const day = 24 * hour

let app: TestApp
let ada: Person
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app.close())
beforeEach(async () => {
  ada = await makePerson(app, { tier: 'premium' })
})

async function fetchAnalytics(person: Person): Promise<Analytics> {
  const response = await person.fetch('/api/analytics')
  expect(response.status).toBe(200)
  return json(response)
}

async function download({ shortCode }: { shortCode: string }, count = 1): Promise<void> {
  for (let index = 0; index < count; index += 1) {
    const response = await makeClient(app).fetch(`/api/download/${shortCode}`)
    expect(response.status).toBe(200)
    await response.arrayBuffer()
  }
}

async function runAtTime(time: Date, work: () => Promise<unknown>): Promise<void> {
  const originalTime = app.clock()
  app.clock.set(time)
  await work()
  app.clock.set(originalTime)
}

function sumDownloads({ days }: Pick<Analytics, 'days'>): number {
  return days.reduce((sum, { count }) => sum + count, 0)
}

describe('analytics', () => {
  it('require Premium, and the error message says so', async () => {
    const freeUser = await makePerson(app)
    for (const path of ['/api/analytics', `/api/files/${(await makeFile(freeUser)).id}/stats`]) {
      const response = await freeUser.fetch(path)
      expect(response.status).toBe(403)
      expect(await response.json()).toEqual({
        code: 'TIER_ANALYTICS',
        message: 'The free tier has no analytics. Upgrade to Premium for advanced analytics.',
      })
      expect((await makeClient(app).fetch(path)).status).toBe(401)
    }
  })

  it('end exactly when the trial ends', async () => {
    const trial = await makePerson(app, {
      tier: 'premium',
      premiumTrialEndsAt: timeFromNow(app, hour),
    })
    expect((await trial.fetch('/api/analytics')).status).toBe(200)
    await runAtTime(timeFromNow(app, hour), async () => {
      expect((await trial.fetch('/api/analytics')).status).toBe(403)
    })
  })

  it('are zero for a user without files, in every kind and on every day', async () => {
    const { kinds, days, ...rest } = await fetchAnalytics(ada)
    expect(kinds).toEqual(fileKinds.map((kind) => ({ kind, count: 0, size: 0 })))
    expect(days).toHaveLength(30)
    expect(days.at(-1)).toEqual({ day: utcDay(app.clock()), count: 0 })
    expect(sumDownloads({ days })).toBe(0)
    expect(rest).toEqual({ expiringSoon: 0, mostDownloaded: [] })
  })

  it("exclude other users' files", async () => {
    const bob = await makePerson(app, { tier: 'premium' })
    await download(await makeFile(bob))
    expect(await fetchAnalytics(ada)).toMatchObject({ expiringSoon: 0, mostDownloaded: [] })
    expect(sumDownloads(await fetchAnalytics(ada))).toBe(0)
  })
})

describe('files by kind', () => {
  const fetchKinds = async (person: Person) => {
    const { kinds } = await fetchAnalytics(person)
    return Object.fromEntries(
      kinds.filter(({ count }) => count > 0).map(({ kind, count, size }) => [kind, [count, size]]),
    )
  }

  it('are counted with their total size', async () => {
    const unknownType = 'application/octet-stream'
    const uploadedFiles: [string, string, number][] = [
      ['a.png', 'image/png', 10],
      ['b.jpg', unknownType, 20],
      ['c.mp4', 'video/mp4', 30],
      ['d.flac', unknownType, 40],
      ['e.pdf', 'application/pdf', 50],
      ['f.tar.gz', unknownType, 60],
      ['g.docx', unknownType, 70],
      ['h', unknownType, 80],
      ['i.pdf', 'application/pdf', 0],
    ]
    for (const [name, type, size] of uploadedFiles) {
      await makeFile(ada, { name, type, bytes: new Uint8Array(size) })
    }
    expect(await fetchKinds(ada)).toEqual({
      image: [2, 30],
      video: [1, 30],
      audio: [1, 40],
      pdf: [2, 50],
      archive: [1, 60],
      document: [1, 70],
      other: [1, 80],
    })
  })

  it('exclude deleted files and links that have ended for good', async () => {
    const [deletedFile, expiredFile] = [await makeFile(ada), await makeFile(ada)]
    app.clock.advance(1)
    await makeFile(ada)
    await ada.fetch(`/api/files/${deletedFile.id}`, { method: 'DELETE' })
    expect(await fetchKinds(ada)).toEqual({ document: [2, 2000] })
    await runAtTime(new Date(expiredFile.expiresAt), async () => {
      await expireFiles(app.deps)
      expect(await fetchKinds(ada)).toEqual({ document: [2, 2000] })
    })
    await runAtTime(new Date(expiredFile.maxLifetimeAt), async () => {
      expect(await fetchKinds(await signInAgain(app, ada))).toEqual({ document: [1, 1000] })
    })
  })

  it('agree with `linkStatus`', async () => {
    const now = app.clock()
    let expectedCount = 0
    for (const ageMs of [0, 3 * day - 1, 3 * day, 30 * day - 1, 30 * day]) {
      for (const purgingAt of [null, now]) {
        const { id } = await makeFile(ada)
        const dates = {
          expiresAt: timeFromNow(app, 3 * day - ageMs),
          maxLifetimeAt: timeFromNow(app, 30 * day - ageMs),
        }
        const fileState = { ...dates, purgingAt }
        await updateFiles(app.deps.db, eq(files.id, id), fileState)
        if (linkStatus(fileState, 'premium', now) !== 'deleted') expectedCount += 1
      }
    }
    expect(await fetchKinds(ada)).toEqual({ document: [expectedCount, expectedCount * 1000] })
  })

  it('agree with `fileKind` for any media type and name', async () => {
    const types = [
      'image/svg+xml',
      'IMAGE/JPEG',
      'video/mp4',
      'audio/mpeg',
      'application/pdf',
      'application/x-pdf',
      'application/vnd.rar',
      'application/x-zip-compressed',
      'application/zipper',
      'application/vnd.ms-excel.sheet.macroEnabled.12',
      'application/vnd.ms-excellent',
      'application/vnd.ms-word',
      'application/x-latex',
      'application/ld+json',
      'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
      'text/csv; charset=utf-8',
      ' text/plain ; charset=utf-8',
      'application/octet-stream',
      '',
    ]
    const names = [
      'a.PDF',
      'b.tar.zst',
      '.pdf',
      'pdf',
      'c.',
      'd..mp3',
      'ä.Ünknown',
      'e.HEIC',
      "f'.x",
    ]
    const fileKindCases = types.flatMap((mimeType) =>
      names.map((originalName) => ({ mimeType, originalName })),
    )
    await insertFiles(app, ada.id, fileKindCases.length)
    const ids = await app.deps.db
      .select({ id: files.id })
      .from(files)
      .where(eq(files.ownerId, ada.id))
    const kinds: FileKind[] = []
    for (const [index, { id }] of ids.entries()) {
      const testCase = fileKindCases[index] ?? { mimeType: '', originalName: '' }
      const updateQuery = app.deps.db.update(files).set(testCase).where(eq(files.id, id))
      const [row] = await updateQuery.returning({ kind: files.kind })
      if (row) kinds.push(row.kind)
    }
    expect(kinds).toEqual(fileKindCases.map(fileKind))
  })
})

describe('expiring soon', () => {
  it.each([-1, 0, 1, hour, day - 1, day, day + 1])(
    'agrees with isEndingSoon %i ms before the link expires',
    async (remainingMs) => {
      const { id } = await makeFile(ada)
      await updateFiles(app.deps.db, eq(files.id, id), { expiresAt: timeFromNow(app, remainingMs) })
      expect((await fetchAnalytics(ada)).expiringSoon).toBe(isEndingSoon(remainingMs) ? 1 : 0)
    },
  )

  it('excludes deleted and renewed files', async () => {
    const [deletedFile, renewedFile] = [await makeFile(ada), await makeFile(ada)]
    await makeFile(ada)
    await runAtTime(timeFromNow(app, 2.5 * day), async () => {
      expect((await fetchAnalytics(ada)).expiringSoon).toBe(3)
      await ada.fetch(`/api/files/${deletedFile.id}`, { method: 'DELETE' })
      await requestRenewal(ada, renewedFile.id)
      expect((await fetchAnalytics(ada)).expiringSoon).toBe(1)
    })
  })
})

describe('downloads per day', () => {
  const getDailyCounts = ({ days }: Analytics) => {
    const daysWithDownloads = days.filter(({ count }) => count > 0)
    return Object.fromEntries(daysWithDownloads.map((entry) => [entry.day, entry.count]))
  }

  it('are counted on their day in UTC', async () => {
    const firstFile = await makeFile(ada)
    const secondFile = await makeFile(ada)
    const midnight = new Date(Math.ceil((app.clock().getTime() + 1) / day) * day)
    await runAtTime(new Date(midnight.getTime() - 1), () => download(firstFile, 3))
    await runAtTime(midnight, async () => {
      await download(firstFile)
      await download(secondFile)
      const analytics = await fetchAnalytics(ada)
      expect(getDailyCounts(analytics)).toEqual({
        [utcDay(new Date(midnight.getTime() - 1))]: 3,
        [utcDay(midnight)]: 2,
      })
      expect(analytics.days.map(({ day }) => day).toSorted()).toEqual(
        analytics.days.map(({ day }) => day),
      )
    })
  })

  it('are kept when files are deleted and links are renewed', async () => {
    const adaFiles = [await makeFile(ada), await makeFile(ada), await makeFile(ada)] as const
    for (const file of adaFiles) await download(file, 2)
    const renewalResponse = await requestRenewal(ada, adaFiles[2].id)
    await download(await json(renewalResponse))
    expect(sumDownloads(await fetchAnalytics(ada))).toBe(7)
    await ada.fetch(`/api/files/${adaFiles[0].id}`, { method: 'DELETE' })
    await requestDeletion(ada, [adaFiles[1].id, adaFiles[2].id])
    await expireFiles(app.deps)
    const { days, mostDownloaded, kinds } = await fetchAnalytics(ada)
    expect(sumDownloads({ days })).toBe(7)
    expect(mostDownloaded).toEqual([])
    expect(kinds.every(({ count }) => count === 0)).toBe(true)
  })

  it('are removed after 30 days', async () => {
    await download(await makeFile(ada), 4)
    const firstDay = utcDay(app.clock())
    const { db } = app.deps
    const countRows = () => db.$count(ownerDownloads, eq(ownerDownloads.ownerId, ada.id))
    await runAtTime(timeFromNow(app, 29 * day), async () => {
      await removeOldDays(app.deps)
      const { days } = await fetchAnalytics(await signInAgain(app, ada))
      expect(days[0]).toEqual({ day: firstDay, count: 4 })
      expect(await countRows()).toBe(1)
    })
    await runAtTime(timeFromNow(app, 30 * day), async () => {
      expect(sumDownloads(await fetchAnalytics(await signInAgain(app, ada)))).toBe(0)
      await removeOldDays(app.deps)
      expect(await countRows()).toBe(0)
    })
  })

  it('are removed in batches of users', async () => {
    const { db } = app.deps
    await app.pool.query(
      `insert into users (id, name, email, created_at, updated_at)
       select 'owner-' || n, '', 'owner-' || n || '@example.org', $1, $1
       from generate_series(1, 1200) n`,
      [app.clock()],
    )
    await app.pool.query(
      `insert into owner_downloads (owner_id, day, shard, count)
       select 'owner-' || n, d, 0, 1 from generate_series(1, 1200) n,
         unnest(array['2020-01-01', $1]::date[]) d`,
      [utcDay(app.clock())],
    )
    const query = vi.spyOn(app.pool, 'query')
    await removeOldDays(app.deps)
    const results = await Promise.all(query.mock.results.map(({ value }) => value))
    query.mockRestore()
    const deleteResults = results.filter(({ command }) => command === 'DELETE')
    expect(deleteResults.length).toBeGreaterThanOrEqual(3)
    expect(Math.max(...deleteResults.map(({ rowCount }) => rowCount))).toBeLessThanOrEqual(500)
    expect(await db.$count(ownerDownloads, lt(ownerDownloads.day, '2021-01-01'))).toBe(0)
    expect(await db.$count(ownerDownloads, like(ownerDownloads.ownerId, 'owner-%'))).toBe(1200)
    await db.delete(users).where(like(users.id, 'owner-%'))
  })

  it("include downloads from the account's time on Free", async () => {
    const { db } = app.deps
    const file = await makeFile(ada)
    const setTier = (tier: 'free' | 'premium') =>
      db.update(users).set({ tier }).where(eq(users.id, ada.id))
    await setTier('free')
    await download(file, 2)
    await setTier('premium')
    expect(sumDownloads(await fetchAnalytics(ada))).toBe(2)
  })
})

describe('the most downloaded files', () => {
  it('are sorted by downloads, with the newest first among equals', async () => {
    const { db } = app.deps
    await insertFiles(app, ada.id, 100)
    const rows = await db.select().from(files).where(eq(files.ownerId, ada.id))
    // Many of the download counts are equal. Each round sets counts above `largest` to 0, which
    // moves other files to the top.
    const numbers = [0, 1, 2, 3, 4, 5, 12, 19, 20, 21, 22, 23, 400, 401, 1_000_000]
    for (const largest of [1_000_000, 401, 22, 20, 4, 2, 1]) {
      const expectedRows = rows.map((row, index) => {
        const number = numbers[index % numbers.length] ?? 0
        return { ...row, downloadCount: number > largest ? 0 : number }
      })
      for (const { id, downloadCount } of expectedRows) {
        await db.update(files).set({ downloadCount }).where(eq(files.id, id))
      }
      const expected = expectedRows
        .filter(({ downloadCount }) => downloadCount > 0)
        .toSorted(
          (a, b) =>
            b.downloadCount - a.downloadCount || b.createdAt.getTime() - a.createdAt.getTime(),
        )
      const { mostDownloaded } = await fetchAnalytics(ada)
      expect(mostDownloaded.map(({ id }) => id)).toEqual(expected.slice(0, 7).map(({ id }) => id))
    }
  })

  it('have exact counts and exclude deleted files', async () => {
    const [first, second] = [await makeFile(ada, { name: 'first' }), await makeFile(ada)]
    await makeFile(ada)
    await download(first, 3)
    await download(second, 2)
    const fetchMostDownloaded = async () =>
      (await fetchAnalytics(ada)).mostDownloaded.map(({ id, downloadCount }) => [id, downloadCount])
    expect(await fetchMostDownloaded()).toEqual([
      [first.id, 3],
      [second.id, 2],
    ])
    await ada.fetch(`/api/files/${first.id}`, { method: 'DELETE' })
    expect(await fetchMostDownloaded()).toEqual([[second.id, 2]])
  })
})
