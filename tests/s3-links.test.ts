import { once } from 'node:events'
import { eq, inArray } from 'drizzle-orm'
import { afterAll, beforeAll, expect, it } from 'vitest'
import yauzl from 'yauzl'
import { computeDigests } from '../src/server/abuse/compute-digests.ts'
import { files } from '../src/server/db/schema.ts'
import { basic, contentsOf, fetchBytes, findListed, makeLink } from './support/link-requests.ts'
import { makeClient, makePerson, type Person } from './support/make.ts'
import { describeOnS3, makeBucket } from './support/s3.ts'
import { takeDownOrThrow } from './support/takedowns.ts'
import { startTestApp, type TestApp } from './support/test-app.ts'

describeOnS3('a link with several files in a bucket', () => {
  let app: TestApp
  let owner: Person
  beforeAll(async () => {
    app = await startTestApp({ env: (await makeBucket()).env })
    owner = await makePerson(app, { tier: 'premium' })
  })
  afterAll(async () => {
    const errorLines = app.logLines.filter(({ level }) => level >= 50)
    await app.close()
    expect(errorLines).toEqual([])
  })

  const request = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
    makeClient(app).fetch(`/api/download/${path}`, { headers, method })

  it('is archived at once with the CRC-32s that browsers send', async () => {
    const { code, files: linkFiles } = await makeLink(owner)
    const isProved = await app.deps.db
      .select({ isContentProved: files.isContentProved })
      .from(files)
      .where(
        inArray(
          files.id,
          linkFiles.map(({ id }) => id),
        ),
      )
    expect(isProved).toEqual([{ isContentProved: false }, { isContentProved: false }])
    const archive = await fetchBytes(app, code)
    expect(archive.status).toBe(200)
    await computeDigests(app.deps)
    expect((await fetchBytes(app, code)).body.equals(archive.body)).toBe(true)
  })

  it('is archived once its CRC-32s are known, with exact ranges', async () => {
    const {
      code,
      contents,
      files: linkFiles,
    } = await makeLink(owner, {}, contentsOf(0, 10, 70_000))
    const ids = linkFiles.map(({ id }) => id)
    const changes = { crc32: null, isContentProved: false }
    await app.deps.db
      .update(files)
      .set(changes)
      .where(eq(files.id, ids[1] ?? ''))
    const waiting = await fetchBytes(app, code)
    expect([waiting.status, waiting.headers.has('retry-after')]).toEqual([503, true])
    await computeDigests(app.deps)
    const whole = await fetchBytes(app, code)
    expect(whole.status).toBe(200)
    const zip = await yauzl.fromBufferPromise(whole.body, { lazyEntries: true })
    const read: Buffer[] = []
    zip.on('entry', async (entry) => {
      read.push(Buffer.concat(await (await zip.openReadStreamPromise(entry)).toArray()))
      zip.readEntry()
    })
    zip.readEntry()
    await once(zip, 'end')
    expect(read).toEqual(contents.map((bytes) => Buffer.from(bytes)))
    const head = await fetchBytes(app, code, {}, 'HEAD')
    expect(head.headers.get('content-length')).toBe(`${whole.body.length}`)
    const etag = whole.headers.get('etag') ?? ''
    for (const start of [0, 50, 40_000, whole.body.length - 1]) {
      const rest = await fetchBytes(app, code, { range: `bytes=${start}-`, 'if-range': etag })
      expect([rest.status, rest.body.equals(whole.body.subarray(start))]).toEqual([206, true])
    }
    await owner.fetch(`/api/files/${ids[2]}`, { method: 'DELETE' })
    const changed = await fetchBytes(app, code, { range: 'bytes=1-', 'if-range': etag })
    expect([changed.status, changed.headers.get('etag') === etag]).toEqual([200, false])
  })

  it('redirects only those who have unlocked it', async () => {
    const { code, files: linkFiles } = await makeLink(owner, { password: 'secret' })
    const path = `${code}/${linkFiles[0]?.id}`
    for (const headers of [{}, basic('wrong')]) {
      for (const method of ['GET', 'HEAD']) {
        const response = await request(path, headers, method)
        expect([response.status, response.headers.get('location')]).toEqual([401, null])
      }
    }
    const response = await request(path, basic('secret'))
    expect(response.status).toBe(302)
    const sent = await fetch(response.headers.get('location') ?? '')
    expect((await sent.arrayBuffer()).byteLength).toBe(100)
    const unlock = await makeClient(app).post(`/api/links/${code}/unlock`, { password: 'secret' })
    const cookie = unlock.headers.getSetCookie()[0]?.split(';', 1)[0] ?? ''
    expect((await request(path, { cookie })).status).toBe(302)
  })

  it('hands out exactly as many URLs as its limit allows, none of them for HEAD', async () => {
    const { code } = await makeLink(owner, { maxDownloads: 3 }, contentsOf(100))
    const head = await request(code, {}, 'HEAD')
    expect(head.status).toBe(302)
    expect((await fetch(head.headers.get('location') ?? '')).status).toBe(403)
    const conditional = { 'if-none-match': '*', range: 'bytes=50-' }
    const responses = await Promise.all([
      ...Array.from({ length: 15 }, () => request(code)),
      ...Array.from({ length: 5 }, () => request(code, conditional)),
    ])
    const statuses = responses.map(({ status }) => status).toSorted()
    expect(statuses).toEqual([...Array(3).fill(302), ...Array(17).fill(404)])
    // What has begun may continue.
    expect((await request(code, { range: 'bytes=50-' })).status).toBe(302)
    expect((await request(code, { range: 'bytes=100-' })).status).toBe(404)
    expect((await findListed(owner, code))?.downloadCount).toBe(3)
    expect((await makeClient(app).fetch(`/api/links/${code}`)).status).toBe(404)
  })

  it('is taken down as a whole', async () => {
    const admin = await makePerson(app, { role: 'admin' })
    const { code } = await makeLink(owner)
    expect(await takeDownOrThrow(admin, code)).toBe(
      'The files were taken down. Their content is blocked.',
    )
    expect((await fetchBytes(app, code)).status).toBe(404)
  })
})
