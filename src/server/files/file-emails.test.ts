import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { updateFiles } from '../../../tests/support/file-rows.ts'
import {
  makeClient,
  makeFile,
  makePerson,
  type Person,
  requestRenewal,
  signInAgain,
} from '../../../tests/support/make.ts'
import { insertFiles } from '../../../tests/support/many-files.ts'
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts'
import { download } from '../../../tests/support/upload-requests.ts'
import type { File } from '../../shared/contract/files.ts'
import type { Preferences } from '../../shared/rules/accounts/preferences.ts'
import { files, firstDownloads, users } from '../db/schema.ts'
import { queueExpiryEmails, queueFirstDownloadEmails } from './file-emails.ts'

const hour = 60 * 60_000
const day = 24 * hour

let app: TestApp
let ada: Person
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app.close())
beforeEach(async () => {
  ada = await makeRecipient()
})

async function makeRecipient(fields: { emailVerified?: boolean } = {}) {
  const person = await makePerson(app, { tier: 'premium' })
  await app.deps.db
    .update(users)
    .set({ emailVerified: true, ...fields })
    .where(eq(users.id, person.id))
  return person
}

async function setPreferences(person: Person, preferences: Partial<Preferences>) {
  const response = await person.fetch('/api/preferences', {
    method: 'PATCH',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(preferences),
  })
  expect(response.status).toBe(200)
}

/** Runs a job and sends the emails it queued. Returns the emails to this person. */
async function emailsTo(person: Person, job: typeof queueFirstDownloadEmails) {
  await job(app.deps)
  const emails = await app.sendQueuedEmails()
  return emails.filter(({ to }) => to.address === person.email).map(({ content }) => content)
}

describe('the first-download email', () => {
  beforeEach(() => setPreferences(ada, { mailOnFirstDownload: true }))
  const emails = () => emailsTo(ada, queueFirstDownloadEmails)

  it('is sent once per link, however often it is downloaded and renewed', async () => {
    const file = await makeFile(ada, { name: 'press-kit.zip' })
    expect(await emails()).toEqual([])
    await download(app, file)
    await download(app, file)
    const [email, ...otherEmails] = await emails()
    expect(otherEmails).toEqual([])
    expect(email?.subject).toBe('1 of your links was downloaded for the first time')
    expect(email?.text).toContain('press-kit.zip until')
    expect(email?.text).toContain(`${app.url}/?tab=manager`)
    await download(app, file)
    const renewedFile = (await (await requestRenewal(ada, file.id)).json()) as File
    await download(app, renewedFile)
    expect(await emails()).toEqual([])
  })

  it('lists all links with a first download since the previous email', async () => {
    for (const name of ['one.txt', 'two.txt']) await download(app, await makeFile(ada, { name }))
    const [email, ...otherEmails] = await emails()
    expect(otherEmails).toEqual([])
    expect(email?.subject).toBe('2 of your links were downloaded for the first time')
    expect(email?.text).toContain('one.txt')
    expect(email?.text).toContain('two.txt')
  })

  it('is split into several emails for thousands of files', async () => {
    await insertFiles(app, ada.id, 2300)
    await app.pool.query(
      'insert into first_downloads select id, owner_id from links where owner_id = $1',
      [ada.id],
    )
    expect((await emails()).map(({ subject }) => subject)).toEqual([
      '1000 of your links were downloaded for the first time',
      '1000 of your links were downloaded for the first time',
      '300 of your links were downloaded for the first time',
    ])
    expect(await app.deps.db.$count(firstDownloads)).toBe(0)
    expect(await emails()).toEqual([])
  })

  it('is sent once for parallel downloads and parallel jobs', async () => {
    const file = await makeFile(ada)
    await Promise.all(Array.from({ length: 10 }, () => download(app, file)))
    const results = await Promise.all([1, 2, 3].map(() => queueFirstDownloadEmails(app.deps)))
    expect(results.map(({ notifiedCount }) => notifiedCount).toSorted()).toEqual([0, 0, 1])
    expect(await emails()).toHaveLength(1)
  })

  it('is sent by the next run if the queue fails', async () => {
    await download(app, await makeFile(ada))
    const add = () => Promise.reject(new Error('no queue'))
    const mailQueue = { ...app.deps.mailQueue, add }
    await expect(queueFirstDownloadEmails({ ...app.deps, mailQueue })).rejects.toThrow()
    expect(await emails()).toHaveLength(1)
  })

  it("isn't sent for page views, HEAD requests or later ranges", async () => {
    const { shortCode } = await makeFile(ada)
    const path = `/s/${shortCode}`
    await makeClient(app).fetch(path, { headers: { accept: 'text/html' } })
    await makeClient(app).fetch(path, { method: 'HEAD' })
    await makeClient(app).fetch(path, { headers: { range: 'bytes=500-' } })
    expect(await emails()).toEqual([])
  })

  it("isn't sent to users who never enabled it, turned it off or went back to Free", async () => {
    const [bob, optedOutUser, freeUser] = [
      await makeRecipient(),
      await makeRecipient(),
      await makeRecipient(),
    ]
    await download(app, await makeFile(bob))
    for (const person of [optedOutUser, freeUser]) {
      await setPreferences(person, { mailOnFirstDownload: true })
      await download(app, await makeFile(person))
    }
    await setPreferences(optedOutUser, { mailOnFirstDownload: false })
    await app.deps.db.update(users).set({ tier: 'free' }).where(eq(users.id, freeUser.id))
    for (const person of [bob, optedOutUser, freeUser]) {
      expect(await emailsTo(person, queueFirstDownloadEmails)).toEqual([])
    }
    expect(await app.deps.db.$count(firstDownloads)).toBe(0)
  })

  it("doesn't mention a file that was deleted in the meantime", async () => {
    const file = await makeFile(ada)
    await download(app, file)
    await queueFirstDownloadEmails(app.deps)
    await ada.fetch(`/api/files/${file.id}`, { method: 'DELETE' })
    expect(await emails()).toEqual([])
  })

  it("doesn't name files if the email address is unverified", async () => {
    const bob = await makeRecipient({ emailVerified: false })
    await setPreferences(bob, { mailOnFirstDownload: true })
    await download(app, await makeFile(bob, { name: 'Call this number.txt' }))
    const [email] = await emailsTo(bob, queueFirstDownloadEmails)
    expect(email?.text).toContain('1 of your links')
    expect(email?.text).not.toContain('number')
    expect(email?.html).not.toContain('number')
  })
})

describe('the expiry email', () => {
  beforeEach(() => setPreferences(ada, { mailBeforeExpiry: true }))
  const emails = () => emailsTo(ada, queueExpiryEmails)

  it('is sent once, a day before the link expires', async () => {
    await makeFile(ada, { name: 'press-kit.zip' })
    app.clock.advance(2 * day - 1)
    expect(await emails()).toEqual([])
    app.clock.advance(1)
    const [email, ...otherEmails] = await emails()
    expect(otherEmails).toEqual([])
    expect(email?.subject).toBe('1 of your links expires within a day')
    expect(email?.text).toContain('press-kit.zip until')
    app.clock.advance(12 * hour)
    expect(await emails()).toEqual([])
  })

  it('is sent again a day before a renewed link expires', async () => {
    const file = await makeFile(ada)
    app.clock.advance(2 * day)
    expect(await emails()).toHaveLength(1)
    expect((await requestRenewal(ada, file.id)).status).toBe(200)
    expect(await emails()).toEqual([])
    app.clock.advance(2 * day)
    expect(await emails()).toHaveLength(1)
    expect(await emails()).toEqual([])
  })

  it('covers hundreds of files, and names the first ten', async () => {
    await insertFiles(app, ada.id, 200)
    app.clock.advance(2 * day)
    const [email, ...otherEmails] = await emails()
    expect(otherEmails).toEqual([])
    expect(email?.subject).toBe('200 of your links expire within a day')
    expect(email?.text.match(/Report \d+ of/g)).toHaveLength(10)
    expect(email?.text).toContain('and 190 more')
  })

  it('is split into several emails for thousands of files', async () => {
    await insertFiles(app, ada.id, 2300)
    await updateFiles(app.deps.db, eq(files.ownerId, ada.id), {
      expiresAt: new Date(app.clock().getTime() + 3 * day),
    })
    app.clock.advance(2 * day)
    expect((await emails()).map(({ subject }) => subject)).toEqual([
      '1000 of your links expire within a day',
      '1000 of your links expire within a day',
      '300 of your links expire within a day',
    ])
    expect(await emails()).toEqual([])
  })

  it('is queued once by parallel jobs', async () => {
    await makeFile(ada)
    app.clock.advance(2 * day)
    const results = await Promise.all([1, 2, 3].map(() => queueExpiryEmails(app.deps)))
    expect(results.map(({ notifiedCount }) => notifiedCount).toSorted()).toEqual([0, 0, 1])
    expect(await emails()).toHaveLength(1)
  })

  it('is sent by the next run if the queue fails', async () => {
    await makeFile(ada)
    app.clock.advance(2 * day)
    const add = () => Promise.reject(new Error('no queue'))
    const mailQueue = { ...app.deps.mailQueue, add }
    await expect(queueExpiryEmails({ ...app.deps, mailQueue })).rejects.toThrow()
    expect(await emails()).toHaveLength(1)
  })

  it('skips links that were renewed or deleted, or that expired before sending', async () => {
    const [renewedFile, deletedFile] = [await makeFile(ada), await makeFile(ada)]
    app.clock.advance(2 * day)
    await queueExpiryEmails(app.deps)
    await requestRenewal(ada, renewedFile.id)
    await ada.fetch(`/api/files/${deletedFile.id}`, { method: 'DELETE' })
    expect(await emails()).toEqual([])
    await makeFile(ada)
    app.clock.advance(2 * day)
    await queueExpiryEmails(app.deps)
    app.clock.advance(day)
    ada = await signInAgain(app, ada)
    expect(await emails()).toEqual([])
  })

  it("isn't sent for links that expired while no server was running", async () => {
    await makeFile(ada)
    app.clock.advance(7 * day)
    expect(await emails()).toEqual([])
  })

  it("isn't sent to users who never enabled it or went back to Free", async () => {
    const [bob, freeUser] = [await makeRecipient(), await makeRecipient()]
    await setPreferences(freeUser, { mailBeforeExpiry: true })
    for (const person of [bob, freeUser]) await makeFile(person)
    await app.deps.db.update(users).set({ tier: 'free' }).where(eq(users.id, freeUser.id))
    app.clock.advance(2 * day)
    for (const person of [bob, freeUser]) {
      expect(await emailsTo(person, queueExpiryEmails)).toEqual([])
    }
  })
})
