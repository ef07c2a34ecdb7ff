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
 * Follows a file through its whole life, with a purge every day. It is uploaded half an hour before
 * a month ends, and both daylight saving changes fall within its life: a day still has 24 hours.
 */
const uploadedAt = new Date('2027-02-28T23:30:00.000Z')

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(async () => {
  const failures = app.logged.filter(({ level }) => level >= 50)
  await app.close()
  expect(failures).toEqual([])
})

interface Life {
  person: Person
  tier: Tier
  file: File & { bytes: Uint8Array }
  /** Every short code of the file, newest last. */
  codes: string[]
}

async function begin(tier: Tier, days: string): Promise<Life> {
  app.clock.set(uploadedAt)
  const person = await makePerson(app, { tier })
  const file = await makeFile(person, { days })
  return { person, tier, file, codes: [file.shortCode] }
}

/** Sets the clock to this time after the upload, and runs the purge. */
async function becomes(days: number, more = 0) {
  app.clock.set(new Date(uploadedAt.getTime() + days * day + more))
  await expireFiles(app.deps)
}

/**
 * Returns the owner's label for the link, the status of a download by the newest link, and whether
 * the bytes are stored. Asserts that older links answer 404.
 */
async function observe(life: Life) {
  life.person = await signInAgain(app, life.person)
  const { person, tier, file, codes } = life
  const [listed] = await json<File[]>(await person.fetch('/api/files'))
  if (!listed) throw new Error('The file is not listed.')
  const label = linkLabel(
    {
      expiresAt: new Date(listed.expiresAt),
      maxLifetimeAt: new Date(listed.maxLifetimeAt),
      purgingAt: listed.purgingAt === null ? null : new Date(listed.purgingAt),
    },
    tier,
    app.clock(),
  )
  const status = async (code: string) =>
    (await makeClient(app).fetch(`/api/download/${code}`, { method: 'HEAD' })).status
  for (const old of codes.slice(0, -1)) expect(await status(old), old).toBe(404)
  const [row] = await app.deps.db.select().from(files).where(eq(files.id, file.id))
  const stored = await app.storage.storedSize(row?.storageKey ?? '')
  return [label, await status(codes.at(-1) ?? ''), stored === null ? 'gone' : 'kept']
}

async function renew(life: Life, expirationDays: number): Promise<number | string> {
  const response = await requestRenewal(life.person, life.file.id, { expirationDays })
  const answer = await json<File & { code: string }>(response)
  if (response.status !== 200) return `${response.status} ${answer.code}`
  life.codes.push(answer.shortCode)
  return (Date.parse(answer.expiresAt) - uploadedAt.getTime()) / day
}

describe('the life of a free file', () => {
  it('lasts three days, followed by an entry in the history', async () => {
    const life = await begin('free', '3')
    for (const [days, more, ...expected] of [
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
      await becomes(days, more)
      expect([days, more, ...(await observe(life))]).toEqual([days, more, ...expected])
      expect(await renew(life, 3)).toBe('403 TIER_RENEWAL')
    }
    for (let days = 4; days < 30; days += 1) {
      await becomes(days)
      expect([days, ...(await observe(life))]).toEqual([days, 'Expired & deleted', 404, 'gone'])
    }
    await becomes(30, -1)
    expect(await observe(life)).toEqual(['Expired & deleted', 404, 'gone'])
    for (const days of [30, 31, 400]) {
      await becomes(days)
      expect(await observe(life)).toEqual(['Permanently expired', 404, 'gone'])
    }
    const cleared = await life.person.fetch('/api/files/expired/bulk', { method: 'DELETE' })
    expect(await json(cleared)).toMatchObject({ deletedCount: 1 })
    expect(await json(await life.person.fetch('/api/files'))).toEqual([])
  })
})

describe('the life of a premium file', () => {
  it('lasts thirty days, however often its link is renewed', async () => {
    const life = await begin('premium', '3')
    const active = (left: string) => [left, 200, 'kept']
    const isPrivate = (left: string) => [`Private (${left} to renew)`, 404, 'kept']
    const life30: [days: number, seen: unknown[], renewal?: [days: number, until: unknown]][] = [
      [0, active('3 days left')],
      [1, active('2 days left')],
      [2, active('1 day left'), [5, 7]],
      [3, active('4 days left')],
      [4, active('3 days left')],
      [5, active('2 days left')],
      [6, active('1 day left')],
      [7, isPrivate('23 days')],
      [8, isPrivate('22 days')],
      [9, isPrivate('21 days'), [3, 12]],
      [10, active('2 days left')],
      [11, active('1 day left')],
      [12, isPrivate('18 days')],
      [13, isPrivate('17 days'), [7, 20]],
      [14, active('6 days left')],
      [15, active('5 days left')],
      [16, active('4 days left'), [3, 19]],
      [17, active('2 days left')],
      [18, active('1 day left')],
      [19, isPrivate('11 days')],
      [20, isPrivate('10 days')],
      [21, isPrivate('9 days')],
      [22, isPrivate('8 days')],
      [23, isPrivate('7 days'), [7, 30]],
      [24, active('6 days left')],
      [25, active('5 days left')],
      [26, active('4 days left'), [7, 30]],
      [27, active('3 days left')],
      [28, active('2 days left'), [3, 30]],
      [29, active('1 day left')],
      [29.5, active('12 hours left'), [7, 30]],
      [30, ['Permanently expired', 404, 'gone'], [3, '409 FILE_GONE']],
      [31, ['Permanently expired', 404, 'gone'], [3, '409 FILE_GONE']],
    ]
    for (const [days, expected, renewal] of life30) {
      await becomes(days)
      expect([days, ...(await observe(life))]).toEqual([days, ...expected])
      if (renewal) expect([days, await renew(life, renewal[0])]).toEqual([days, renewal[1]])
    }
    expect(new Set(life.codes).size).toBe(9)
  })

  it('ends on the millisecond, whether the link is active or private', async () => {
    for (const renews of [true, false]) {
      const life = await begin('premium', '7')
      await becomes(30, -1)
      expect(await observe(life)).toEqual(['Private (1 day to renew)', 404, 'kept'])
      if (renews) {
        expect(await renew(life, 7)).toBe(30)
        expect(await observe(life)).toEqual(['Less than 1 hour left', 200, 'kept'])
      }
      await becomes(30)
      expect(await observe(life)).toEqual(['Permanently expired', 404, 'gone'])
    }
  })
})
