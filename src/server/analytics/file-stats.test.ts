import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  json,
  makeFile,
  makePerson,
  type Person,
  requestRenewal,
  signInAgain,
} from '../../../tests/support/make.ts'
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts'
import { download } from '../../../tests/support/upload-requests.ts'
import type { DownloadStats } from '../../shared/contract/analytics.ts'
import { daysBetween, utcDay } from '../../shared/rules/format/day.ts'

const day = 24 * 60 * 60_000

let app: TestApp
let ada: Person
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app.close())
beforeEach(async () => {
  ada = await makePerson(app, { tier: 'premium' })
})

async function readStats(person: Person, id: string): Promise<DownloadStats> {
  const response = await person.fetch(`/api/files/${id}/stats`)
  expect(response.status).toBe(200)
  return json(response)
}

describe('the statistics of a file', () => {
  it('start with the day of the upload, without downloads', async () => {
    const { id } = await makeFile(ada)
    expect(await readStats(ada, id)).toEqual({
      downloadCount: 0,
      lastDownloadAt: null,
      days: [{ day: utcDay(app.clock()), count: 0 }],
    })
  })

  it('count each day, including days without downloads, and record the last download', async () => {
    const file = await makeFile(ada)
    const firstDay = utcDay(app.clock())
    await download(app, file)
    await download(app, file)
    app.clock.advance(2 * day)
    await download(app, file)
    const lastDownloadAt = app.clock()
    app.clock.advance(day / 2)
    const days = daysBetween(firstDay, utcDay(app.clock()))
    const countsByDay = new Map([
      [firstDay, 2],
      [utcDay(lastDownloadAt), 1],
    ])
    expect(await readStats(ada, file.id)).toEqual({
      downloadCount: 3,
      lastDownloadAt: lastDownloadAt.toISOString(),
      days: days.map((day) => ({ day, count: countsByDay.get(day) ?? 0 })),
    })
  })

  it('record the last of many parallel downloads', async () => {
    const file = await makeFile(ada)
    await Promise.all(
      Array.from({ length: 20 }, async () => {
        app.clock.advance(1)
        await download(app, file)
      }),
    )
    const { downloadCount, lastDownloadAt } = await readStats(ada, file.id)
    expect(downloadCount).toBe(20)
    expect(lastDownloadAt).toBe(app.clock().toISOString())
  })

  it('continue after a renewal and end after 30 days', async () => {
    const file = await makeFile(ada)
    await download(app, file)
    app.clock.advance(4 * day)
    await download(app, await json(await requestRenewal(ada, file.id)))
    expect(await readStats(ada, file.id)).toMatchObject({ downloadCount: 2 })
    app.clock.advance(100 * day)
    const { days, downloadCount } = await readStats(await signInAgain(app, ada), file.id)
    expect(days.map(({ day }) => day)).toEqual(
      daysBetween(utcDay(new Date(file.createdAt)), utcDay(new Date(file.maxLifetimeAt))),
    )
    expect(days.reduce((sum, { count }) => sum + count, 0)).toBe(downloadCount)
  })

  it('are available only to the owner, until the file is deleted', async () => {
    const { id } = await makeFile(ada)
    const bob = await makePerson(app, { tier: 'premium' })
    const fetchStatsStatus = async (person: Person, id: string) =>
      (await person.fetch(`/api/files/${id}/stats`)).status
    expect(await fetchStatsStatus(ada, id)).toBe(200)
    for (const otherId of [id, 'no-id', `${id}0`, '%00', 'x'.repeat(64)]) {
      expect(await fetchStatsStatus(bob, otherId)).toBe(404)
    }
    expect(await fetchStatsStatus(ada, 'x'.repeat(65))).toBe(400)
    await ada.fetch(`/api/files/${id}`, { method: 'DELETE' })
    expect(await fetchStatsStatus(ada, id)).toBe(404)
  })
})
