import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { files } from '../src/server/db/schema.ts'
import type { File } from '../src/shared/contract/files.ts'
import { type DeployedNginx, startDeployedNginx } from './support/deployed-nginx.ts'
import { basic, findListed, makeLink } from './support/link-requests.ts'
import { json, makeClient, makeFile, makePerson, type Person } from './support/make.ts'
import { startTestApp, type TestApp } from './support/test-app.ts'
import { describeBehindNginx } from './support/test-requirements.ts'

const bytes = new Uint8Array(100_000).map((_, index) => index % 251)
const wholeBody = Buffer.from(bytes)

describeBehindNginx('a file that nginx sends', () => {
  let app: TestApp
  let owner: Person
  let nginx: DeployedNginx
  beforeAll(async () => {
    app = await startTestApp({ env: { TRUST_PROXY: 'on', X_ACCEL_REDIRECT: '/sealed' } })
    owner = await makePerson(app, { tier: 'premium' })
    const { port, dataDir } = app.deps.config
    const serverAddress = `127.0.0.1:${port}`
    nginx = await startDeployedNginx(
      { servers: [serverAddress, serverAddress], bucket: serverAddress },
      dataDir,
    )
  })
  afterAll(async () => {
    await nginx.stop()
    await app.close()
  })

  const request = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
    nginx.send('files.example.org', path, {
      method,
      headers: { ...headers, host: '127.0.0.1' },
    })

  const getDownloadCount = async ({ id }: File): Promise<number | undefined> => {
    const files = await json<File[]>(await owner.fetch('/api/files'))
    return files.find((file) => file.id === id)?.downloadCount
  }

  test('has the same headers and bytes as one sent by the server, and counts once', async () => {
    const file = await makeFile(owner, { bytes, name: 'ä "b".html', type: 'text/html' })
    const path = `/s/${file.shortCode}`
    const directResponse = await makeClient(app).fetch(path)
    expect(directResponse.headers.get('x-accel-redirect')).toBeNull()
    expect(new Uint8Array(await directResponse.arrayBuffer())).toEqual(bytes)
    const nginxResponse = await request(path)
    expect(nginxResponse.status).toBe(200)
    expect(nginxResponse.body.equals(wholeBody)).toBe(true)
    const varyingHeaders = [
      'connection',
      'date',
      'etag',
      'keep-alive',
      'last-modified',
      'x-request-id',
    ]
    for (const [name, value] of directResponse.headers) {
      if (!varyingHeaders.includes(name)) expect.soft(nginxResponse.headers[name], name).toBe(value)
    }
    expect(nginxResponse.headers).toHaveProperty('x-request-id')
    expect(nginxResponse.headers).not.toHaveProperty('x-accel-redirect')
    expect(await getDownloadCount(file)).toBe(2)
    const logText = await nginx.log()
    expect(logText).toContain('GET /sealed/- 200 100000')
    expect(logText).not.toContain(file.shortCode)
    expect(logText).not.toContain(await findPath(app, file))
  })

  test('can be resumed, and only the request for the first byte counts', async () => {
    const file = await makeFile(owner, { bytes })
    const path = `/s/${file.shortCode}`
    const firstRange = await request(path, { range: 'bytes=0-9' })
    expect(firstRange.status).toBe(206)
    const etag = String(firstRange.headers.etag)
    const restResponse = await request(path, { range: 'bytes=10-', 'if-range': etag })
    expect(restResponse.status).toBe(206)
    expect(Buffer.concat([firstRange.body, restResponse.body]).equals(wholeBody)).toBe(true)
    expect((await request(path, { range: 'bytes=100000-' })).status).toBe(416)
    expect((await request(path, { 'if-none-match': etag })).status).toBe(304)
    const head = await request(path, {}, 'HEAD')
    expect([head.headers['content-length'], head.body.length]).toEqual(['100000', 0])
    expect(await getDownloadCount(file)).toBe(1)
  })

  test('is counted for a conditional request only if nginx sends the first byte', async () => {
    const file = await makeFile(owner, { bytes })
    const path = `/s/${file.shortCode}`
    const { headers } = await request(path, {}, 'HEAD')
    const [etag, lastModified] = [String(headers.etag), String(headers['last-modified'])]
    const dateBefore = new Date(Date.parse(lastModified) - 60_000).toUTCString()
    const dateAfter = new Date(Date.parse(lastModified) + 60_000).toUTCString()
    const restRange = 'bytes=10-'
    let expectedCount = 0
    for (const [sent, status, start] of [
      [{ range: restRange, 'if-range': etag }, 206, 10],
      [{ range: restRange, 'if-range': lastModified }, 206, 10],
      [{ range: restRange, 'if-range': '"other"' }, 200, 0],
      [{ range: restRange, 'if-range': dateBefore }, 200, 0],
      [{ 'if-none-match': etag }, 304, null],
      [{ 'if-none-match': '"other"' }, 200, 0],
      [{ 'if-modified-since': dateBefore }, 200, 0],
      [{ 'if-modified-since': lastModified }, 304, null],
      [{ 'if-modified-since': dateAfter }, 304, null],
      [{ 'if-match': etag }, 200, 0],
      [{ 'if-match': '"other"' }, 412, null],
      [{ 'if-unmodified-since': dateBefore }, 412, null],
      [{ range: 'bytes=-100000' }, 206, 0],
      [{ range: 'bytes=-10' }, 206, 99_990],
      [{ range: 'bytes=10-19,0-9' }, 200, 0],
    ] as const) {
      const response = await request(path, sent)
      expect.soft(response.status, JSON.stringify(sent)).toBe(status)
      if (start !== null) expect.soft(response.body.equals(wholeBody.subarray(start))).toBe(true)
      expectedCount += start === 0 ? 1 : 0
      expect.soft(await getDownloadCount(file), JSON.stringify(sent)).toBe(expectedCount)
    }
  })

  test('of a link with a password and a limit is sent once unlocked, and can be resumed', async () => {
    const options = { password: 'secret', maxDownloads: 1 }
    const { code, files } = await makeLink(owner, options, [bytes, bytes])
    const path = `/api/download/${code}/${files[1]?.id}`
    const withPassword = basic('secret')
    expect((await request(path)).status).toBe(401)
    expect((await request(path, basic('wrong'))).status).toBe(401)
    expect((await request(path, withPassword, 'HEAD')).headers['content-length']).toBe('100000')
    const first = await request(path, { ...withPassword, range: 'bytes=0-9' })
    const etag = String(first.headers.etag)
    const conditionSets: Record<string, string>[] = [{}, { 'if-range': etag }, { 'if-match': etag }]
    for (const conditions of conditionSets) {
      const rest = await request(path, { ...withPassword, ...conditions, range: 'bytes=10-' })
      expect(rest.status).toBe(206)
      expect(Buffer.concat([first.body, rest.body]).equals(wholeBody)).toBe(true)
    }
    expect((await request(path, withPassword)).status).toBe(404)
    expect((await request(`/s/${code}`, withPassword)).status).toBe(404)
    expect((await findListed(owner, code))?.downloadCount).toBe(1)
  })

  test('may be limited exactly, under parallel downloads', async () => {
    const { code } = await makeLink(owner, { maxDownloads: 3 }, [bytes])
    const responses = await Promise.all(Array.from({ length: 20 }, () => request(`/s/${code}`)))
    const statuses = responses.map(({ status }) => status).sort()
    expect(statuses).toEqual([...Array(3).fill(200), ...Array(17).fill(404)])
  })

  test('may be empty', async () => {
    const file = await makeFile(owner, { bytes: new Uint8Array() })
    const response = await request(`/s/${file.shortCode}`)
    expect([response.status, response.body.length]).toEqual([200, 0])
    expect(await getDownloadCount(file)).toBe(1)
  })

  test('is never served without a link', async () => {
    const file = await makeFile(owner, { bytes })
    const path = await findPath(app, file)
    // The last three paths are other spellings of nginx's internal location.
    for (const internalPath of [
      `/sealed/${path}`,
      `//sealed/${path}`,
      `/s/../sealed/${path}`,
      `/%73ealed/${path}`,
    ]) {
      const headers = { 'x-sendfile-type': 'none', 'x-accel-redirect': `/sealed/${path}` }
      const response = await request(internalPath, headers)
      expect(response.status, internalPath).toBe(404)
      expect(response.body.includes(wholeBody), internalPath).toBe(false)
    }
    expect((await owner.fetch(`/api/files/${file.id}`, { method: 'DELETE' })).status).toBe(200)
    expect((await request(`/s/${file.shortCode}`)).status).toBe(404)
  })

  test('returns an error instead of an empty body when its bytes are missing', async () => {
    const file = await makeFile(owner, { bytes })
    await rm(join(app.deps.config.dataDir, 'files', await findPath(app, file)))
    expect((await request(`/s/${file.shortCode}`)).status).toBe(404)
    expect(await getDownloadCount(file)).toBe(0)
  })
})

/** Returns a file's path relative to the directory that contains all stored files. */
async function findPath(app: TestApp, { id }: File): Promise<string> {
  const [row] = await app.deps.db.select().from(files).where(eq(files.id, id))
  if (!row) throw new Error('there is no such file')
  return `${row.storageKey.slice(0, 2)}/${row.storageKey}`
}
