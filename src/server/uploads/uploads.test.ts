import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  json,
  makeClient,
  makeFile,
  makePerson,
  type Person,
  putBytes,
  sha256,
  startUpload,
} from '../../../tests/support/make.ts'
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts'
import type { File } from '../../shared/contract/files.ts'
import { prepareFindUpload, prepareMakeFile } from './prepared-queries.ts'
import { sweepUploads } from './sweep-uploads.ts'

const minute = 60_000
const day = 24 * 60 * minute
const megabyte = 1024 ** 2

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app.close())

const wish = (changes: Record<string, unknown> = {}) => ({
  fileName: 'notes.txt',
  fileSize: 10,
  fileType: 'text/plain',
  expirationDays: '3',
  ...changes,
})

const ask = (person: Person, changes?: Record<string, unknown>) =>
  person.post('/api/files/get-upload-url', wish(changes))

const confirm = (person: Person, cloudKey: string, more = {}) =>
  person.post('/api/files/confirm-upload', { cloudKey, ...more })

const abort = (person: Person, cloudKey: string) =>
  person.post('/api/files/abort-upload', { cloudKey })

const text = (length: number) => new Uint8Array(length).fill(65)

describe('POST /api/files/get-upload-url', () => {
  it('answers a presigned URL, a key that tells nothing, and the cleaned name', async () => {
    const person = await makePerson(app)
    const response = await ask(person, { fileName: ' a<b>: “c” .txt' })
    expect(response.status).toBe(200)
    const started = await json<{ uploadUrl: string; cloudKey: string }>(response)
    expect(started).toMatchObject({
      metadata: {
        originalName: 'ab c .txt',
        mimeType: 'text/plain',
        size: 10,
        expirationDays: '3',
      },
    })
    expect(started.uploadUrl).toContain(`${app.url}/storage/${started.cloudKey}`)
    expect(started.cloudKey).not.toContain('txt')
  })

  it.each([
    ['no name', { fileName: undefined }],
    ['an empty name', { fileName: '' }],
    ['a number for a name', { fileName: 7 }],
    ['an endless name', { fileName: 'x'.repeat(2000) }],
    ['no size', { fileSize: undefined }],
    ['a negative size', { fileSize: -1 }],
    ['half a byte', { fileSize: 0.5 }],
    ['a size in text', { fileSize: '10' }],
    ['an unsafe integer', { fileSize: 2 ** 60 }],
    ['a type that is none', { fileType: 'text' }],
    ['a type with a line break', { fileType: 'text/plain\r\nx: y' }],
    ['an object for a type', { fileType: {} }],
    ['4 days', { expirationDays: '4' }],
    ['no days', { expirationDays: undefined }],
    ['days that are none', { expirationDays: 'always' }],
  ])('refuses %s', async (_, changes) => {
    const response = await ask(await makePerson(app), changes)
    expect(response.status).toBe(400)
    const field = Object.keys(changes)[0]
    expect(await response.json()).toEqual({
      code: 'INVALID_INPUT',
      message: expect.stringContaining(`${field}: `),
    })
  })

  it('takes a file without a known type as a stream of bytes', async () => {
    const started = await json<object>(await ask(await makePerson(app), { fileType: '' }))
    expect(started).toMatchObject({ metadata: { mimeType: 'application/octet-stream' } })
  })

  it.each([
    ['free', 500 * megabyte, '3', 200, undefined],
    ['free', 500 * megabyte + 1, '3', 413, 'TIER_FILE_SIZE'],
    ['free', 1024 * megabyte + 1, '3', 413, 'FILE_TOO_LARGE'],
    ['free', 1, '5', 403, 'TIER_EXPIRATION'],
    ['free', 1, '7', 403, 'TIER_EXPIRATION'],
    ['premium', 1024 * megabyte, '7', 200, undefined],
    ['premium', 1024 * megabyte + 1, '3', 413, 'FILE_TOO_LARGE'],
    ['premium', 0, '5', 200, undefined],
  ] as const)('%s, %i bytes, %s days: %i', async (tier, fileSize, expirationDays, status, code) => {
    const response = await ask(await makePerson(app, { tier }), { fileSize, expirationDays })
    expect(response.status).toBe(status)
    if (code) expect(await response.json()).toMatchObject({ code })
  })

  it('holds a lapsed trial to the limits of the free tier', async () => {
    const person = await makePerson(app, { tier: 'premium', premiumTrialEndsAt: app.clock() })
    expect((await ask(person, { expirationDays: '5' })).status).toBe(403)
  })

  it('never gives a free user a fourth place, however many ask at once', async () => {
    const person = await makePerson(app)
    await makeFile(person)
    const answers = await Promise.all(Array.from({ length: 20 }, () => ask(person)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(2)
    const refused = answers.filter(({ status }) => status === 403)
    expect(refused).toHaveLength(18)
    const message = (await json<{ message: string }>(refused[0] as Response)).message
    expect(message).toMatch(/tier/)
    expect(message).toMatch(/Upgrade/)
  })

  it('counts an idle upload for 15 minutes and no longer', async () => {
    const person = await makePerson(app)
    for (let n = 0; n < 3; n += 1) await startUpload(person, { size: 1 })
    app.clock.advance(15 * minute - 1)
    expect((await ask(person)).status).toBe(403)
    app.clock.advance(1)
    expect((await ask(person)).status).toBe(200)
  })

  it('keeps a bounded number of idle uploads, the last active ones', async () => {
    const person = await makePerson(app)
    const started = []
    for (let n = 0; n < 8; n += 1) {
      if (n % 3 === 0) app.clock.advance(15 * minute)
      const upload = await startUpload(person, { size: 1 })
      await putBytes(upload, text(1))
      app.clock.advance(1)
      started.push(upload)
    }
    app.clock.advance(15 * minute)
    await startUpload(person, { size: 1 })
    const sizes = await Promise.all(started.map(({ cloudKey }) => app.storage.storedSize(cloudKey)))
    expect(sizes).toEqual([null, null, null, 1, 1, 1, 1, 1])
    expect((await confirm(person, started[0]?.cloudKey ?? '')).status).toBe(404)
    expect((await confirm(person, started[3]?.cloudKey ?? '')).status).toBe(200)
  })

  it('frees the place of a file that expired', async () => {
    const person = await makePerson(app)
    for (let n = 0; n < 3; n += 1) await makeFile(person)
    expect((await ask(person)).status).toBe(403)
    app.clock.advance(3 * day)
    expect((await ask(person)).status).toBe(200)
  })

  it('lets a premium user have many', async () => {
    const person = await makePerson(app, { tier: 'premium' })
    for (let n = 0; n < 5; n += 1) expect((await ask(person)).status).toBe(200)
  })
})

describe('POST /api/files/confirm-upload', () => {
  it('makes the stored bytes a file with dates and a short code', async () => {
    const person = await makePerson(app, { tier: 'premium' })
    const started = await startUpload(person, { size: 5, days: '7', name: 'five.txt' })
    await putBytes(started, text(5))
    const startedAt = app.clock().getTime()
    app.clock.advance(2500)
    const response = await confirm(person, started.cloudKey, {
      metadata: { size: 999, originalName: '../../etc/passwd' },
      uploadStartTime: startedAt,
    })
    expect(response.status).toBe(200)
    const now = app.clock().getTime()
    expect(await response.json()).toEqual({
      id: expect.any(String),
      originalName: 'five.txt',
      mimeType: 'text/plain',
      size: 5,
      shortCode: expect.stringMatching(/^\w{10}$/),
      createdAt: new Date(now).toISOString(),
      expiresAt: new Date(now + 7 * day).toISOString(),
      maxLifetimeAt: new Date(now + 30 * day).toISOString(),
      downloadCount: 0,
      uploadDuration: 2.5,
      purgedAt: null,
      sha256: sha256(text(5)),
    })
  })

  it.each([
    ['a time before the upload', -day, 0],
    ['a time in the future', day, 0],
    ['nonsense', 'yesterday', 0],
    ['none', undefined, 0],
  ])('does not trust %s as the start', async (_, start, seconds) => {
    const person = await makePerson(app)
    const started = await startUpload(person, { size: 0 })
    await putBytes(started, text(0))
    const uploadStartTime = typeof start === 'number' ? app.clock().getTime() + start : start
    const file = await json<File>(await confirm(person, started.cloudKey, { uploadStartTime }))
    expect(file.uploadDuration).toBe(seconds)
  })

  it('gives no short code a second time, and then has changed nothing', async () => {
    const person = await makePerson(app)
    const { shortCode } = await makeFile(person)
    const { cloudKey } = await startUpload(person, { size: 0 })
    const { db } = app.deps
    const upload = await prepareFindUpload(db)(person.id, cloudKey)
    const now = app.clock()
    const taken = prepareMakeFile(db)(upload?.id ?? '', {
      shortCode,
      createdAt: now,
      expiresAt: now,
      maxLifetimeAt: now,
      uploadDuration: 0,
      sha256: null,
    })
    await expect(taken).rejects.toMatchObject({ cause: { constraint: 'short_codes_pkey' } })
    expect(await prepareFindUpload(db)(person.id, cloudKey)).toEqual(upload)
  })

  it('gives one file, however often and however many times at once it is confirmed', async () => {
    const person = await makePerson(app)
    const started = await startUpload(person, { size: 3 })
    await putBytes(started, text(3))
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => confirm(person, started.cloudKey)),
    )
    const again = await person.post('/api/files', { cloudKey: started.cloudKey })
    const files = await Promise.all([...answers, again].map((answer) => json<File>(answer)))
    expect(new Set(files.map(({ id, shortCode }) => `${id} ${shortCode}`)).size).toBe(1)
    expect(await json<File[]>(await person.fetch('/api/files'))).toHaveLength(1)
  })

  it('gives it also when it takes the last place', async () => {
    const person = await makePerson(app)
    await Promise.all([makeFile(person), makeFile(person)])
    const started = await startUpload(person, { size: 3 })
    await putBytes(started, text(3))
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => confirm(person, started.cloudKey)),
    )
    const files = await Promise.all(answers.map((answer) => json<File>(answer)))
    expect(new Set(files.map(({ id }) => id)).size).toBe(1)
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
  })

  it('refuses before the bytes are there, and then goes on', async () => {
    const person = await makePerson(app)
    const started = await startUpload(person, { size: 6 })
    const none = await confirm(person, started.cloudKey)
    expect(none.status).toBe(400)
    expect(await none.json()).toMatchObject({ code: 'UPLOAD_INCOMPLETE' })

    await putBytes(started, text(6))
    expect((await confirm(person, started.cloudKey)).status).toBe(200)
  })

  it('takes an empty file', async () => {
    const file = await makeFile(await makePerson(app), { bytes: text(0) })
    expect(file.size).toBe(0)
  })

  it.each(['nothing', '../../etc/passwd', '', 'a\0b'])(
    'answers 4xx to the key %j',
    async (cloudKey) => {
      const response = await confirm(await makePerson(app), cloudKey)
      expect(response.status).toBe(cloudKey === '' || cloudKey.includes('\0') ? 400 : 404)
    },
  )

  it("answers 404 to another user's key, and leaves the upload alone", async () => {
    const [owner, other] = [await makePerson(app), await makePerson(app)]
    const started = await startUpload(owner, { size: 2 })
    await putBytes(started, text(2))
    for (const response of [
      await confirm(other, started.cloudKey),
      await abort(other, started.cloudKey),
    ]) {
      expect(response.status).toBe(404)
      expect(await response.json()).toMatchObject({ code: 'UPLOAD_NOT_FOUND' })
    }
    expect((await confirm(owner, started.cloudKey)).status).toBe(200)
    expect((await confirm(other, started.cloudKey)).status).toBe(404)
  })

  it('keeps the bytes when the place is taken, until there is room', async () => {
    const person = await makePerson(app)
    const late = await startUpload(person, { size: 4 })
    await putBytes(late, text(4))
    app.clock.advance(16 * minute)
    const files = [await makeFile(person), await makeFile(person), await makeFile(person)]

    const refused = await confirm(person, late.cloudKey)
    expect(refused.status).toBe(403)
    expect(await refused.json()).toMatchObject({ code: 'TIER_FILE_COUNT' })

    await person.fetch(`/api/files/${files[0]?.id}`, { method: 'DELETE' })
    expect((await confirm(person, late.cloudKey)).status).toBe(200)
  })

  it('never makes a fourth file for a free user, however many confirm at once', async () => {
    const person = await makePerson(app)
    const started = []
    // Places held by idle uploads lapse, so more uploads than places can exist.
    for (let n = 0; n < 6; n += 1) {
      if (n === 3) app.clock.advance(16 * minute)
      const upload = await startUpload(person, { size: 1 })
      await putBytes(upload, text(1))
      started.push(upload)
    }
    app.clock.advance(16 * minute)
    const answers = await Promise.all(started.map(({ cloudKey }) => confirm(person, cloudKey)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(3)
    expect(await json<File[]>(await person.fetch('/api/files'))).toHaveLength(3)
  })
})

describe('POST /api/files/abort-upload', () => {
  it('frees the place at once and removes the bytes', async () => {
    const person = await makePerson(app)
    const uploads = []
    for (let n = 0; n < 3; n += 1) uploads.push(await startUpload(person, { size: 1 }))
    const [first] = uploads
    if (!first) throw new Error('no upload')
    await putBytes(first, text(1))
    expect((await ask(person)).status).toBe(403)

    expect((await abort(person, first.cloudKey)).status).toBe(200)
    expect(await app.storage.storedSize(first.cloudKey)).toBeNull()
    expect((await ask(person)).status).toBe(200)

    expect((await abort(person, first.cloudKey)).status).toBe(404)
    expect((await confirm(person, first.cloudKey)).status).toBe(404)
    const late = await putBytes(first, text(1))
    expect(late.status).toBe(404)
    expect(await app.storage.storedSize(first.cloudKey)).toBeNull()
  })

  it('does not touch a file that was confirmed', async () => {
    const person = await makePerson(app)
    const started = await startUpload(person, { size: 1 })
    await putBytes(started, text(1))
    await confirm(person, started.cloudKey)
    expect((await abort(person, started.cloudKey)).status).toBe(404)
    expect(await app.storage.storedSize(started.cloudKey)).toBe(1)
  })
})

describe('what is stored', () => {
  it('can never be more than was announced, nor change once it is confirmed', async () => {
    const person = await makePerson(app)
    const started = await startUpload(person, { size: 10 })
    const refused = await putBytes(started, text(11)).catch(() => undefined)
    expect(refused?.status ?? 413).toBeGreaterThanOrEqual(400)
    expect((await putBytes(started, text(10))).status).toBe(200)
    const file = await json<File>(await confirm(person, started.cloudKey))

    expect((await putBytes(started, new Uint8Array(10).fill(66))).status).toBe(409)
    const download = await makeClient(app).fetch(`/api/download/${file.shortCode}`)
    expect(await download.text()).toBe('A'.repeat(10))
  })
})

describe('the sweep of abandoned uploads', () => {
  it('ends uploads idle for 24 h with their bytes, and no younger one', async () => {
    const person = await makePerson(app, { tier: 'premium' })
    const old = await startUpload(person, { size: 1 })
    await putBytes(old, text(1))
    app.clock.advance(1000)
    const young = await startUpload(person, { size: 1 })
    await putBytes(young, text(1))
    app.clock.advance(day - 999)

    await Promise.all([sweepUploads(app.deps), sweepUploads(app.deps)])
    expect(await app.storage.storedSize(old.cloudKey)).toBeNull()
    expect((await confirm(person, old.cloudKey)).status).toBe(404)
    expect((await confirm(person, young.cloudKey)).status).toBe(200)
  })
})
