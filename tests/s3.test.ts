import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { files, uploads } from '../src/server/db/schema.ts'
import { expireFiles } from '../src/server/files/expire-files.ts'
import { sweepOrphans } from '../src/server/jobs/sweep-orphans.ts'
import { newStorageKey } from '../src/server/storage/storage-key.ts'
import { sweepUploads } from '../src/server/uploads/sweep-uploads.ts'
import type { File } from '../src/shared/contract/files.ts'
import { serveApp } from './support/app-server.ts'
import { freePort } from './support/free-port.ts'
import {
  json,
  logIn,
  makeClient,
  makeFile,
  makePerson,
  putBytes,
  signUp,
  startUpload,
} from './support/make.ts'
import { freshDatabase } from './support/postgres.ts'
import { bytesIn, describeOnS3, makeBucket, type TestBucket } from './support/s3.ts'
import { send } from './support/send.ts'
import { startServerProcess } from './support/server-process.ts'
import { startTestApp, type TestApp } from './support/test-app.ts'
import { abort, askForUpload, confirm, expectRefusal } from './support/upload-requests.ts'

const minute = 60_000
const day = 24 * 60 * minute
const accepted = [200, 204]

const text = (length: number) => new Uint8Array(length).fill(65)

const download = (app: TestApp, { shortCode }: Pick<File, 'shortCode'>, init: RequestInit = {}) =>
  fetch(`${app.url}/api/download/${shortCode}`, init)

describeOnS3('the main job on S3', () => {
  let app: TestApp
  let bucket: TestBucket
  beforeAll(async () => {
    bucket = await makeBucket()
    app = await startTestApp({ env: bucket.env })
  })
  afterAll(async () => {
    const failures = app.logged.filter(({ level }) => level >= 50)
    await app.close()
    expect(failures).toEqual([])
  })

  const keyOf = async ({ id }: Pick<File, 'id'>) => {
    const [row] = await app.deps.db.select().from(files).where(eq(files.id, id))
    return row?.storageKey ?? ''
  }

  it('is ready, and lets the pages talk to the bucket', async () => {
    expect((await fetch(`${app.url}/api/ready`)).status).toBe(200)
    const page = await fetch(app.url, { headers: { accept: 'text/html' } })
    const policy = page.headers.get('content-security-policy')
    expect(policy).toContain(`connect-src 'self' ${bucket.env.S3_ENDPOINT}`)
  })

  it('brings a file from its owner to whoever has the link', async () => {
    const ada = await makePerson(app)
    const name = 'Ünïcode "x" تقرير.html'
    const file = await makeFile(ada, { name, type: 'text/html' })
    const redirect = await download(app, file, { redirect: 'manual' })
    expect(redirect.status).toBe(302)
    expect(redirect.headers.get('cache-control')).toBe('no-store')
    expect(redirect.headers.get('location')).toContain(bucket.env.S3_ENDPOINT)

    const answer = await download(app, file)
    expect(answer.status).toBe(200)
    expect(Buffer.from(await answer.arrayBuffer()).equals(Buffer.from(file.bytes))).toBe(true)
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'text/html',
      'content-length': '1000',
      'cache-control': expect.stringContaining('private'),
      'content-disposition': expect.stringMatching(
        /^attachment; filename="[^"]+"; filename\*=UTF-8''/,
      ),
    })
  })

  it('answers HEAD, ranges and conditions through the redirect, and counts one download', async () => {
    const ada = await makePerson(app)
    const file = await makeFile(ada)
    const whole = await download(app, file)
    await whole.arrayBuffer()
    const head = await download(app, file, { method: 'HEAD' })
    expect([head.status, await head.text()]).toEqual([200, ''])
    for (const header of ['content-length', 'content-type', 'content-disposition', 'etag']) {
      expect(head.headers.get(header), header).toBe(whole.headers.get(header))
    }
    const part = await download(app, file, { headers: { range: 'bytes=990-' } })
    expect([part.status, part.headers.get('content-range')]).toEqual([206, 'bytes 990-999/1000'])
    const bytes = Buffer.from(await part.arrayBuffer())
    expect(bytes.equals(Buffer.from(file.bytes.subarray(990)))).toBe(true)
    expect((await download(app, file, { headers: { range: 'bytes=1000-' } })).status).toBe(416)
    const etag = whole.headers.get('etag') ?? ''
    expect((await download(app, file, { headers: { 'if-none-match': etag } })).status).toBe(304)

    const [listed] = await json<File[]>(await ada.fetch('/api/files'))
    expect(listed?.downloadCount).toBe(1)
  })

  it('signs downloads for minutes, and for no longer than the link lives', async () => {
    const file = await makeFile(await makePerson(app))
    const lifeNow = async () => {
      const { headers } = await download(app, file, { redirect: 'manual' })
      const { searchParams } = new URL(headers.get('location') ?? '')
      return Number(searchParams.get('X-Amz-Expires'))
    }
    expect(await lifeNow()).toBe(15 * 60)
    const now = app.clock()
    app.clock.set(new Date(new Date(file.expiresAt).getTime() - 90_000))
    expect(await lifeNow()).toBeLessThanOrEqual(90)
    app.clock.set(new Date(file.expiresAt))
    expect((await download(app, file, { redirect: 'manual' })).status).toBe(404)
    app.clock.set(now)
  })

  it('takes an empty file', async () => {
    const file = await makeFile(await makePerson(app), { bytes: new Uint8Array() })
    const answer = await download(app, file)
    expect([answer.status, answer.headers.get('content-length')]).toEqual([200, '0'])
  })

  it('stores nothing but the announced size and type, under a signature that holds', async () => {
    const ada = await makePerson(app)
    const before = await bytesIn(bucket)
    const started = await startUpload(ada, { size: 1000 })
    const altered = new URL(started.uploadUrl)
    altered.pathname = altered.pathname.replace(started.cloudKey, newStorageKey())
    const until = new Date(app.clock().getTime() - 1000)
    const { cloudKey: key } = started
    const over = await app.storage.signUpload({ key, size: 1000, mimeType: 'text/plain', until })
    const answers = await Promise.all([
      send(started.uploadUrl, {
        method: 'PUT',
        headers: { 'content-type': 'text/plain' },
        body: Buffer.from(text(50_000)),
      }),
      putBytes(started, text(1001)),
      putBytes(started, text(999)),
      putBytes(started, text(1000), 'text/html'),
      putBytes({ ...started, uploadUrl: altered.href }, text(1000)),
      putBytes({ ...started, uploadUrl: over }, text(1000)),
    ])
    expect(answers.map(({ status }) => status)).toEqual([403, 403, 403, 403, 403, 403])
    expect(await bytesIn(bucket)).toBe(before)
    await expectRefusal(await confirm(ada, started.cloudKey), 400, 'UPLOAD_INCOMPLETE')
    expect(accepted).toContain((await putBytes(started, text(1000))).status)
    expect((await confirm(ada, started.cloudKey)).status).toBe(200)
  })

  it('cannot be overwritten once it is confirmed', async () => {
    const ada = await makePerson(app)
    const started = await startUpload(ada, { size: 5 })
    await putBytes(started, new TextEncoder().encode('first'))
    const file = await json<File>(await confirm(ada, started.cloudKey))
    const before = await bytesIn(bucket)
    expect((await putBytes(started, new TextEncoder().encode('other'))).status).toBe(404)
    expect(await (await download(app, file)).text()).toBe('first')
    expect(await bytesIn(bucket)).toBe(before)
  })

  it('makes one file, however many confirm at once', async () => {
    const ada = await makePerson(app)
    const started = await startUpload(ada, { size: 10 })
    await putBytes(started, text(10))
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => confirm(ada, started.cloudKey)),
    )
    const made = await Promise.all(answers.map((answer) => json<File>(answer)))
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200))
    expect(new Set(made.map(({ id }) => id)).size).toBe(1)
  })

  it("leaves another user's key alone", async () => {
    const [ada, bob] = [await makePerson(app), await makePerson(app)]
    const started = await startUpload(ada, { size: 10 })
    await putBytes(started, text(10))
    expect((await confirm(bob, started.cloudKey)).status).toBe(404)
    expect((await abort(bob, started.cloudKey)).status).toBe(404)
    expect((await confirm(ada, started.cloudKey)).status).toBe(200)
  })

  it('ends a cancelled upload and its URL', async () => {
    const ada = await makePerson(app)
    const started = await startUpload(ada, { size: 10 })
    await putBytes(started, text(10))
    expect((await abort(ada, started.cloudKey)).status).toBe(200)
    expect(await app.storage.storedSize(started.cloudKey)).toBeNull()
    expect((await putBytes(started, text(10))).status).toBe(404)
  })

  it('removes the bytes of a deleted file, and presigned URLs end with them', async () => {
    const ada = await makePerson(app)
    const file = await makeFile(ada)
    const key = await keyOf(file)
    const { headers } = await download(app, file, { redirect: 'manual' })
    expect((await ada.fetch(`/api/files/${file.id}`, { method: 'DELETE' })).status).toBe(200)
    expect((await download(app, file)).status).toBe(404)
    expect((await fetch(headers.get('location') ?? '')).status).toBe(404)
    expect(await app.storage.storedSize(key)).toBeNull()
  })

  // These move the clock, so they sign nothing after it.
  describe('what time removes', () => {
    it('goes: expired files, idle uploads, and what no row names', async () => {
      const ada = await makePerson(app)
      const file = await makeFile(ada)
      const key = await keyOf(file)
      const idle = await startUpload(ada, { size: 10 })
      await putBytes(idle, text(10))
      const lost = await startUpload(ada, { size: 10 })
      await putBytes(lost, text(10))
      await app.deps.db.delete(uploads).where(eq(uploads.cloudKey, lost.cloudKey))
      expect(await sweepOrphans(app.deps)).toBe(0)

      app.clock.advance(day + minute)
      expect(await sweepUploads(app.deps)).toBeGreaterThan(0)
      expect(await app.storage.storedSize(idle.cloudKey)).toBeNull()
      expect(await sweepOrphans(app.deps)).toBe(1)
      expect(await app.storage.storedSize(lost.cloudKey)).toBeNull()
      expect(await app.storage.storedSize(key)).toBe(1000)

      app.clock.advance(2 * day)
      expect(await expireFiles(app.deps)).toMatchObject({ failed: 0 })
      expect(await app.storage.storedSize(key)).toBeNull()
    })
  })
})

describeOnS3('a bucket that is away', () => {
  it('is told as 503, and takes no place from those who try', async () => {
    const { env } = await makeBucket()
    const app = await startTestApp({ env: { ...env, S3_BUCKET: 'there-is-none' } })
    const ada = await makePerson(app)
    for (let tries = 0; tries < 4; tries += 1) {
      await expectRefusal(await askForUpload(ada), 503, 'UNAVAILABLE')
    }
    expect((await fetch(`${app.url}/api/ready`)).status).toBe(503)
    await app.close()
  })
})

describeOnS3('the real program', () => {
  let folder: string
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mayfly-s3-program-'))
  })
  afterAll(() => rm(folder, { recursive: true }))

  it('keeps files in a bucket, over a kill between the bytes and the confirm', async () => {
    const { env } = await makeBucket()
    const settings = { dataDir: join(folder, 'kept'), port: await freePort(), env }
    const killed = await startServerProcess(settings)
    const { email, password } = await signUp(killed)
    const cookie = await logIn(killed, email, password)
    const started = await startUpload(makeClient(killed, cookie), { size: 10 })
    killed.kill('SIGKILL')
    await killed.ended
    expect((await putBytes(started, text(10))).status).toBe(200)

    const again = await startServerProcess(settings)
    const confirmed = await makeClient(again, cookie).post('/api/files/confirm-upload', started)
    const { shortCode } = await json<File>(confirmed)
    const answer = await fetch(`${again.url}/api/download/${shortCode}`)
    expect(await answer.text()).toBe('A'.repeat(10))
    again.kill('SIGTERM')
    expect(await again.ended).toBe(0)
  })

  it('does not start on a bucket that is not there', async () => {
    const { env } = await makeBucket()
    const wrong = { ...env, S3_BUCKET: 'there-is-none' }
    const settings = { dataDir: join(folder, 'wrong'), port: await freePort(), env: wrong }
    await expect(startServerProcess(settings)).rejects.toThrow(
      'The bucket "there-is-none" at http://127.0.0.1:',
    )
  })
})

describeOnS3('a server that is switched to S3 and back', () => {
  it('serves, finishes and expires what lies in either store', async () => {
    const database = await freshDatabase()
    const kept = { ...database, drop: () => Promise.resolve() }
    const dataDir = await mkdtemp(join(tmpdir(), 'mayfly-switch-'))
    const bucket = await makeBucket()
    const onDisk = () => serveApp(kept, { dataDir })
    const onS3 = () => serveApp(kept, { dataDir, env: bucket.env })

    let app = await onDisk()
    const ada = await makePerson(app, { tier: 'premium' })
    const again = async () => makeClient(app, await logIn(app, ada.email, ada.password))
    const first = await makeFile(ada)
    const open = await startUpload(ada, { size: 10 })
    await putBytes(open, text(10))
    await app.close()

    app = await onS3()
    const second = await makeFile(await again())
    const bytesOf = async (file: File) =>
      Buffer.from(await (await download(app, file)).arrayBuffer())
    expect((await bytesOf(first)).equals(Buffer.from(first.bytes))).toBe(true)
    expect((await bytesOf(second)).equals(Buffer.from(second.bytes))).toBe(true)
    expect((await (await again()).post('/api/files/confirm-upload', open)).status).toBe(200)
    expect(await bytesIn(bucket)).toBe(1000)
    await app.close()

    app = await onDisk()
    expect((await bytesOf(first)).equals(Buffer.from(first.bytes))).toBe(true)
    // The bucket is unknown now: its file is not gone, it cannot be reached.
    expect((await download(app, second)).status).toBe(503)
    const [row] = await app.deps.db.select().from(files).where(eq(files.id, first.id))
    const key = row?.storageKey ?? ''
    expect(await app.disk.storedSize(key)).toBe(1000)
    app.clock.advance(30 * day)
    expect(await expireFiles(app.deps)).toEqual({ purged: 2, failed: 0 })
    expect(await app.disk.storedSize(key)).toBeNull()
    expect(await bytesIn(bucket)).toBe(1000)
    await app.close()

    app = await onS3()
    app.clock.advance(30 * day)
    expect(await expireFiles(app.deps)).toEqual({ purged: 1, failed: 0 })
    expect(await bytesIn(bucket)).toBe(0)
    await app.close()
    await database.drop()
    await rm(dataDir, { recursive: true })
  })
})
