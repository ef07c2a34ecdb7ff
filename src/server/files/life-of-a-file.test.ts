import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  json,
  makeClient,
  makeFile,
  makePerson,
  type Person,
  requestRenewal,
  signInAgain,
} from '../../../tests/support/make.ts'
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts'
import type { File } from '../../shared/contract/files.ts'
import { linkLabel } from '../../shared/rules/links/link-status.ts'
import type { Tier } from '../../shared/rules/tiers/tier.ts'
import { files } from '../db/schema.ts'
import { expireFiles } from './expire-files.ts'

const day = 24 * 60 * 60_000

/*
 * Follows a file from upload to purge, with a purge run at each step. The file is uploaded half an
 * hour before the end of a month. Its life spans the daylight saving changes in the US and Europe,
 * where a day must still have 24 hours.
 */
const uploadedAt = new Date('2027-02-28T23:30:00.000Z')

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(async () => {
  const failures = app.logLines.filter(({ level }) => level >= 50)
  await app.close()
  expect(failures).toEqual([])
})

interface TestFile {
  person: Person
  tier: Tier
  file: File & { bytes: Uint8Array }
  /** All short codes that the file has had, newest last. */
  codes: string[]
}

async function uploadTestFile(tier: Tier, days: string): Promise<TestFile> {
  app.clock.set(uploadedAt)
  const person = await makePerson(app, { tier })
  const file = await makeFile(person, { days })
  return { person, tier, file, codes: [file.shortCode] }
}

/** Sets the clock to this time after the upload, and runs the purge. */
async function advanceTo(days: number, extraMs = 0) {
  app.clock.set(new Date(uploadedAt.getTime() + days * day + extraMs))
  await expireFiles(app.deps)
}

/**
 * Returns the owner's label for the link, the status code from a download through the newest link,
 * and whether the bytes are stored. Asserts that older links answer 404.
 */
async function readState(testFile: TestFile) {
  testFile.person = await signInAgain(app, testFile.person)
  const { person, tier, file, codes } = testFile
  const [listedFile] = await json<File[]>(await person.fetch('/api/files'))
  if (!listedFile) throw new Error('The file is not listed.')
  const label = linkLabel(
    {
      expiresAt: new Date(listedFile.expiresAt),
      maxLifetimeAt: new Date(listedFile.maxLifetimeAt),
      purgingAt: listedFile.purgingAt === null ? null : new Date(listedFile.purgingAt),
    },
    tier,
    app.clock(),
  )
  const status = async (code: string) =>
    (await makeClient(app).fetch(`/api/download/${code}`, { method: 'HEAD' })).status
  for (const oldCode of codes.slice(0, -1)) expect(await status(oldCode), oldCode).toBe(404)
  const [row] = await app.deps.db.select().from(files).where(eq(files.id, file.id))
  const storedSize = await app.storage.storedSize(row?.storageKey ?? '')
  return [label, await status(codes.at(-1) ?? ''), storedSize === null ? 'gone' : 'kept']
}

async function renew(testFile: TestFile, expirationDays: number): Promise<number | string> {
  const response = await requestRenewal(testFile.person, testFile.file.id, { expirationDays })
  const body = await json<File & { code: string }>(response)
  if (response.status !== 200) return `${response.status} ${body.code}`
  testFile.codes.push(body.shortCode)
  return (Date.parse(body.expiresAt) - uploadedAt.getTime()) / day
}

describe('the life of a free file', () => {
  it('lasts three days, followed by an entry in the history', async () => {
    const testFile = await uploadTestFile('free', '3')
    for (const [days, extraMs, ...expected] of [
      [0, 0, '3 days left', 200, 'kept'],
      [0.5, 0, '3 days left', 200, 'kept'],
      [0.5, 1, '2 days left', 200, 'kept'],
      [1, 0, '2 days left', 200, 'kept'],
      [2, 0, '1 day left', 200, 'kept'],
      [2, 1, '23 hours left', 200, 'kept'],
      [3, -60 * 60_000, '1 hour left', 200, 'kept'],
      [3, -60 * 60_000 + 1, 'Less than 1 hour left', 200, 'kept'],
      [3, -1, 'Less than 1 hour left', 200, 'kept'],
      [3, 0, 'Expired & deleted', 404, 'gone'],
    ] as const) {
      await advanceTo(days, extraMs)
      expect([days, extraMs, ...(await readState(testFile))]).toEqual([days, extraMs, ...expected])
      expect(await renew(testFile, 3)).toBe('403 TIER_RENEWAL')
    }
    for (const days of [4, 17, 29]) {
      await advanceTo(days)
      expect([days, ...(await readState(testFile))]).toEqual([
        days,
        'Expired & deleted',
        404,
        'gone',
      ])
    }
    await advanceTo(30, -1)
    expect(await readState(testFile)).toEqual(['Expired & deleted', 404, 'gone'])
    for (const days of [30, 31, 400]) {
      await advanceTo(days)
      expect(await readState(testFile)).toEqual(['Permanently expired', 404, 'gone'])
    }
    const clearResponse = await testFile.person.fetch('/api/files/expired/bulk', {
      method: 'DELETE',
    })
    expect(await json(clearResponse)).toMatchObject({ deletedCount: 1 })
    expect(await json(await testFile.person.fetch('/api/files'))).toEqual([])
  })
})

describe('the life of a premium file', () => {
  it('lasts thirty days, however often its link is renewed', async () => {
    const testFile = await uploadTestFile('premium', '3')
    const activeState = (timeLeft: string) => [timeLeft, 200, 'kept']
    const privateState = (timeLeft: string) => [`Private (${timeLeft} to renew)`, 404, 'kept']
    const timeline: [days: number, seen: unknown[], renewal?: [days: number, until: unknown]][] = [
      [0, activeState('3 days left')],
      [1, activeState('2 days left')],
      [2, activeState('1 day left'), [5, 7]],
      [3, activeState('4 days left')],
      [6, activeState('1 day left')],
      [7, privateState('23 days')],
      [9, privateState('21 days'), [3, 12]],
      [12, privateState('18 days')],
      [13, privateState('17 days'), [7, 20]],
      [16, activeState('4 days left'), [3, 19]],
      [18, activeState('1 day left')],
      [19, privateState('11 days')],
      [20, privateState('10 days')],
      [23, privateState('7 days'), [7, 30]],
      [26, activeState('4 days left'), [7, 30]],
      [27, activeState('3 days left')],
      [28, activeState('2 days left'), [3, 30]],
      [29, activeState('1 day left')],
      [29.5, activeState('12 hours left'), [7, 30]],
      [30, ['Permanently expired', 404, 'gone'], [3, '409 FILE_GONE']],
      [31, ['Permanently expired', 404, 'gone'], [3, '409 FILE_GONE']],
    ]
    for (const [days, expected, renewal] of timeline) {
      await advanceTo(days)
      expect([days, ...(await readState(testFile))]).toEqual([days, ...expected])
      if (renewal) expect([days, await renew(testFile, renewal[0])]).toEqual([days, renewal[1]])
    }
    expect(new Set(testFile.codes).size).toBe(9)
  })

  it('ends at the exact millisecond, whether the link is active or private', async () => {
    for (const shouldRenew of [true, false]) {
      const testFile = await uploadTestFile('premium', '7')
      await advanceTo(30, -1)
      expect(await readState(testFile)).toEqual(['Private (1 day to renew)', 404, 'kept'])
      if (shouldRenew) {
        expect(await renew(testFile, 7)).toBe(30)
        expect(await readState(testFile)).toEqual(['Less than 1 hour left', 200, 'kept'])
      }
      await advanceTo(30)
      expect(await readState(testFile)).toEqual(['Permanently expired', 404, 'gone'])
    }
  })
})
