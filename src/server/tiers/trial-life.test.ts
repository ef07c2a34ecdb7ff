import { eq } from 'drizzle-orm'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  type Client,
  json,
  logIn,
  makeClient,
  makeFile,
  makePerson,
  type Person,
} from '../../../tests/support/make.ts'
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts'
import {
  abortUpload,
  requestConfirm,
  requestUpload,
} from '../../../tests/support/upload-requests.ts'
import type { User } from '../../shared/contract/account.ts'
import { files, users } from '../db/schema.ts'
import { expireFiles } from '../files/expire-files.ts'
import { expireTrials } from './set-tier.ts'

const hour = 60 * 60_000
const day = 24 * hour

let app: TestApp
let trialStart: Date
let ada: Person
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app.close())
beforeEach(async () => {
  trialStart = app.clock()
  ada = await makePerson(app)
})
afterEach(() => app.clock.set(trialStart))

function setTime(elapsedMs: number) {
  app.clock.set(new Date(trialStart.getTime() + elapsedMs))
}

/** Sets the clock like `setTime`, then signs Ada in again, because her session may have expired. */
async function signInAt(elapsedMs: number) {
  setTime(elapsedMs)
  ada = { ...ada, ...makeClient(app, await logIn(app, ada.email, ada.password)) }
}

async function startTrial(person: Client): Promise<User> {
  const response = await person.post('/api/auth/start-trial')
  expect(response.status).toBe(200)
  return (await json<{ user: User }>(response)).user
}

async function fetchUser(person: Client): Promise<User> {
  return json(await person.fetch('/api/auth/user'))
}

/**
 * Starts one upload for 3 days and one for 7, then aborts both. Returns 'ok' or the error code for
 * each.
 */
async function tryUploads(person: Client) {
  const resultsByDays: Record<string, string> = {}
  for (const days of ['3', '7']) {
    const response = await requestUpload(person, { expirationDays: days })
    const body = await json<{ code?: string; cloudKey?: string }>(response)
    resultsByDays[days] = body.code ?? 'ok'
    if (body.cloudKey !== undefined) await abortUpload(person, body.cloudKey)
  }
  return resultsByDays
}

/** Sends all queued emails. Returns those to this person. */
async function sendEmailsTo(person: Person) {
  return (await app.sendQueuedEmails()).filter(({ to }) => to.address === person.email)
}

async function sendSubjects() {
  return (await sendEmailsTo(ada)).map(({ content }) => content.subject)
}

describe('a trial', () => {
  it('is Premium up to the last millisecond, and Free from then on', async () => {
    await startTrial(ada)
    const premiumResults = { 3: 'ok', 7: 'ok' }
    for (const today of [0, 10, 20, 29]) {
      setTime(today * day)
      expect((await fetchUser(ada)).tier).toBe('premium')
      expect(await tryUploads(ada)).toEqual(premiumResults)
    }
    setTime(30 * day - 1)
    expect((await fetchUser(ada)).tier).toBe('premium')
    expect(await tryUploads(ada)).toEqual(premiumResults)
    for (const elapsedMs of [0, 1, day]) {
      setTime(30 * day + elapsedMs)
      expect((await fetchUser(ada)).tier).toBe('free')
      expect(await tryUploads(ada)).toEqual({ 3: 'ok', 7: 'TIER_EXPIRATION' })
    }
    // The user has been on Free since the trial ended. The job only updates the row in `users`.
    expect(await expireTrials(app.deps)).toEqual({ expiredCount: 1 })
    expect((await fetchUser(ada)).tier).toBe('free')
  })

  it("doesn't change the dates of files when it ends, but enforces the limits of Free", async () => {
    await startTrial(ada)
    await signInAt(20 * day)
    const renewableFile = await makeFile(ada, { days: '3' })
    setTime(29 * day)
    const activeFiles = []
    for (let fileIndex = 0; fileIndex < 5; fileIndex += 1)
      activeFiles.push(await makeFile(ada, { days: '7' }))
    await expireFiles(app.deps)
    const readStoredSize = async (id: string) => {
      const [row] = await app.deps.db.select().from(files).where(eq(files.id, id))
      return row === undefined ? null : app.storage.storedSize(row.storageKey)
    }
    expect(await readStoredSize(renewableFile.id)).toBe(1000)

    setTime(30 * day)
    await expireFiles(app.deps)
    expect(await readStoredSize(renewableFile.id)).toBeNull()
    for (const { shortCode } of activeFiles) {
      expect((await makeClient(app).fetch(`/api/download/${shortCode}`)).status).toBe(200)
    }
    expect(await tryUploads(ada)).toEqual({ 3: 'TIER_FILE_COUNT', 7: 'TIER_EXPIRATION' })
    for (const { id } of activeFiles.slice(2))
      await ada.fetch(`/api/files/${id}`, { method: 'DELETE' })
    expect(await tryUploads(ada)).toMatchObject({ 3: 'ok' })

    const [firstFile] = activeFiles
    setTime(36 * day - 1)
    expect((await makeClient(app).fetch(`/api/download/${firstFile?.shortCode}`)).status).toBe(200)
    setTime(36 * day)
    expect((await makeClient(app).fetch(`/api/download/${firstFile?.shortCode}`)).status).toBe(404)
  })

  it('lets uploads that started during it finish within the current file limit', async () => {
    await startTrial(ada)
    await signInAt(30 * day - 1)
    const startedUploads = []
    for (let fileIndex = 0; fileIndex < 4; fileIndex += 1) {
      const response = await requestUpload(ada, { fileSize: 0, expirationDays: '7' })
      startedUploads.push(await json<{ cloudKey: string; uploadUrl: string }>(response))
    }
    for (const { uploadUrl } of startedUploads) {
      const request = { method: 'PUT', headers: { 'content-type': 'text/plain' }, body: '' }
      expect((await fetch(uploadUrl, request)).status).toBe(200)
    }
    setTime(30 * day)
    const statuses = []
    for (const { cloudKey } of startedUploads.toReversed()) {
      statuses.push((await requestConfirm(ada, cloudKey)).status)
    }
    // After the trial, the limit is three files again, so the last of the four confirms is
    // rejected.
    expect(statuses.toSorted()).toEqual([200, 200, 200, 403])
    const [file] = await json<{ expiresAt: string; createdAt: string }[]>(
      await ada.fetch('/api/files'),
    )
    expect(Date.parse(file?.expiresAt ?? '') - Date.parse(file?.createdAt ?? '')).toBe(7 * day)
  })
})

describe('the emails about a trial', () => {
  it('are sent once each: three days and one day before the end, and at the end', async () => {
    await startTrial(ada)
    const sentSubjects: [elapsed: string, subject: string][] = []
    for (let hours = 0; hours <= 40 * 24; hours += 1) {
      setTime(hours * hour)
      for (const subject of await sendSubjects()) {
        sentSubjects.push([`day ${Math.floor(hours / 24)}, ${hours % 24} h`, subject])
      }
      if (hours % 24 === 0) await expireTrials(app.deps)
    }
    expect(sentSubjects).toEqual([
      ['day 27, 0 h', 'Your Mayfly Premium trial ends in 3 days'],
      ['day 29, 0 h', 'Your Mayfly Premium trial ends in 1 day'],
      ['day 30, 0 h', 'Your Mayfly Premium trial has ended'],
    ])
  })

  it('include the end date, the coming changes, and how to keep Premium', async () => {
    await startTrial(ada)
    setTime(27 * day)
    const [sentEmail] = await sendEmailsTo(ada)
    expect(sentEmail?.to).toEqual({ name: '', address: ada.email })
    const { text = '', html = '' } = sentEmail?.content ?? {}
    for (const body of [text, html]) {
      expect(body).toContain('Hello, your Premium trial ends on')
      expect(body).toContain('3 files at most, 500MB each, for 3 days')
      expect(body).toContain('Files with expired links are deleted')
      expect(body).toContain(`${app.url}/`)
    }
  })

  it('address the user by name if the email address is verified', async () => {
    await app.deps.db.update(users).set({ emailVerified: true }).where(eq(users.id, ada.id))
    await startTrial(ada)
    setTime(30 * day)
    const names = (await sendEmailsTo(ada)).map(({ to, content }) => [
      to.name,
      content.text.split('\n')[2],
    ])
    expect(names).toEqual([
      ['Ada', expect.stringMatching(/^Hello Ada, your Premium trial ended on/)],
    ])
  })

  it.each([
    ['day 27.5', 27.5, ['ends in 1 day', 'has ended']],
    ['day 29.5', 29.5, ['has ended']],
    ['day 36.9', 36.9, ['has ended']],
    ['day 37', 37, []],
    ['day 365', 365, []],
  ])('are skipped if they are stale once the server is back on %s', async (...row) => {
    const [, restartDay, expected] = row
    await startTrial(ada)
    const subjects = []
    for (let now = restartDay; now < 400; now += 0.25) {
      setTime(now * day)
      subjects.push(...(await sendSubjects()))
    }
    expect(subjects).toEqual(expected.map((ending) => `Your Mayfly Premium trial ${ending}`))
  })

  it.each([
    ['switched to Premium', { tier: 'premium' }],
    ['switched back to Free', { tier: 'free' }],
  ])('are not sent to a user who %s', async (_, body) => {
    await startTrial(ada)
    await signInAt(27 * day)
    expect(await sendSubjects()).toEqual(['Your Mayfly Premium trial ends in 3 days'])
    expect((await ada.post('/api/auth/toggle-premium', body)).status).toBe(200)
    for (const today of [29, 30, 31]) {
      setTime(today * day)
      await expireTrials(app.deps)
      expect(await sendSubjects()).toEqual([])
    }
  })

  it('are not sent to a deleted user', async () => {
    await startTrial(ada)
    await app.deps.db.delete(users).where(eq(users.id, ada.id))
    setTime(30 * day)
    expect(await sendSubjects()).toEqual([])
  })
})
