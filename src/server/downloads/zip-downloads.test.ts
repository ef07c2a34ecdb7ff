import { execFile, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { type IncomingMessage, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import yauzl from 'yauzl'
import { requestAccountDeletion } from '../../../tests/support/account-deletion.ts'
import { eventually } from '../../../tests/support/eventually.ts'
import {
  changeLink,
  contentsOf,
  deleteLink,
  fetchBytes,
  finishUploads,
  makeLink,
  newFile,
  readStarted,
  requestMoreFiles,
} from '../../../tests/support/link-requests.ts'
import { makePerson, type Person } from '../../../tests/support/make.ts'
import { takeDownOrThrow } from '../../../tests/support/takedowns.ts'
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts'
import { files } from '../db/schema.ts'

const mebibyte = 1024 ** 2

let app: TestApp
let owner: Person
let admin: Person
beforeAll(async () => {
  app = await startTestApp()
  owner = await makePerson(app, { tier: 'premium' })
  admin = await makePerson(app, { role: 'admin' })
})
afterAll(async () => {
  const failures = app.logLines.filter(({ level }) => level >= 50)
  await app.close()
  expect(failures).toEqual([])
})

/** Reads an archive's files in order, checking their CRC-32s. */
async function readZip(archive: Buffer): Promise<{ name: string; bytes: Buffer }[]> {
  const zip = await yauzl.fromBufferPromise(archive, { lazyEntries: true })
  const entries: { name: string; bytes: Buffer }[] = []
  zip.on('entry', async (entry) => {
    const chunks = await (await zip.openReadStreamPromise(entry)).toArray()
    entries.push({ name: entry.fileName, bytes: Buffer.concat(chunks) })
    zip.readEntry()
  })
  zip.readEntry()
  await once(zip, 'end')
  return entries
}

const asBuffers = (contents: readonly Uint8Array[]) => contents.map((bytes) => Buffer.from(bytes))
const bytesOf = async (archive: Buffer) => (await readZip(archive)).map(({ bytes }) => bytes)
const namesOf = async (archive: Buffer) => (await readZip(archive)).map(({ name }) => name)

describe('the archive of a link', () => {
  it('contains the same bytes, and has exact headers for HEAD and ranges', async () => {
    const { code, contents } = await makeLink(
      owner,
      { title: 'A/B: "x"' },
      contentsOf(0, 1, 70_000),
    )
    const whole = await fetchBytes(app, code)
    expect(await bytesOf(whole.body)).toEqual(asBuffers(contents))
    expect(whole.headers.get('content-type')).toBe('application/zip')
    expect(whole.headers.get('x-robots-tag')).toBe('noindex')
    expect(whole.headers.get('content-disposition')).toContain("filename*=UTF-8''AB%20x.zip")
    const head = await fetchBytes(app, code, {}, 'HEAD')
    expect(head.headers.get('content-length')).toBe(`${whole.body.length}`)
    expect(head.body.length).toBe(0)
    const etag = whole.headers.get('etag') ?? ''
    for (const [start, end] of [
      [0, 0],
      [31, 40_000],
      [70_000, whole.body.length - 1],
    ] as const) {
      const range = `bytes=${start}-${end}`
      const part = await fetchBytes(app, code, { range, 'if-range': etag })
      expect(part.status).toBe(206)
      expect(part.body.equals(whole.body.subarray(start, end + 1))).toBe(true)
    }
    expect((await fetchBytes(app, code, { range: 'bytes=999999-' })).status).toBe(416)
    expect((await fetchBytes(app, code, { 'if-none-match': etag })).status).toBe(304)
  })

  it.skipIf(spawnSync('unzip').error)('is accepted by unzip', async () => {
    const { code } = await makeLink(owner, {}, contentsOf(10, 20), ['ä b.txt', 'c.txt'])
    const folder = await mkdtemp(join(tmpdir(), 'mayfly-zip-'))
    try {
      const path = join(folder, 'archive.zip')
      await writeFile(path, (await fetchBytes(app, code)).body)
      const { stdout } = await promisify(execFile)('unzip', ['-t', path])
      expect(stdout).toContain('No errors detected')
    } finally {
      await rm(folder, { recursive: true })
    }
  })

  it('tells files with the same name apart', async () => {
    const names = ['a.txt', 'A.txt', 'a.txt', 'a (2).txt']
    const { code, contents } = await makeLink(owner, {}, contentsOf(1, 2, 3, 4), names)
    const { body } = await fetchBytes(app, code)
    expect(await bytesOf(body)).toEqual(asBuffers(contents))
    const zipNames = (await namesOf(body)).map((name) => name.toLowerCase())
    expect(new Set(zipNames).size).toBe(4)
  })

  it('has another ETag once a file is deleted, added or taken down', async () => {
    const { code, files: linkFiles } = await makeLink(owner, {}, contentsOf(10, 20, 30, 40))
    const etags: (string | null)[] = []
    const check = async (count: number) => {
      const last = etags.at(-1) ?? '"none"'
      const { status, headers, body } = await fetchBytes(app, code, {
        range: 'bytes=10-',
        'if-range': last,
      })
      expect(status).toBe(200)
      expect(await namesOf(body)).toHaveLength(count)
      etags.push(headers.get('etag'))
    }
    await check(4)
    await owner.fetch(`/api/files/${linkFiles[0]?.id}`, { method: 'DELETE' })
    await check(3)
    const response = await requestMoreFiles(owner, code, [newFile({ fileSize: 5 })])
    await finishUploads(owner, (await readStarted(response)).uploads, contentsOf(5))
    await check(4)
    const body = { shortCode: code, fileId: linkFiles[1]?.id, reason: 'x' }
    expect((await admin.post('/api/admin/takedown', body)).status).toBe(200)
    await check(3)
    expect(new Set(etags).size).toBe(4)
    const before = etags.at(-1)
    await changeLink(owner, code, { title: 'Other', message: 'x' })
    expect((await fetchBytes(app, code, {}, 'HEAD')).headers.get('etag')).toBe(before)
  })

  it('is replaced by the file once only one is left', async () => {
    const { code, files: linkFiles, contents } = await makeLink(owner)
    await owner.fetch(`/api/files/${linkFiles[0]?.id}`, { method: 'DELETE' })
    const { headers, body } = await fetchBytes(app, code)
    expect(headers.get('content-type')).toBe('text/plain')
    expect(body.equals(contents[1] as Uint8Array)).toBe(true)
  })

  it('waits for CRC-32s, while each file can be downloaded', async () => {
    const { code, files: linkFiles } = await makeLink(owner)
    const id = linkFiles[1]?.id ?? ''
    await app.deps.db.update(files).set({ crc32: null }).where(eq(files.id, id))
    const { status, headers } = await fetchBytes(app, code)
    expect([status, headers.get('retry-after')]).toEqual([503, '10'])
    expect((await fetchBytes(app, `${code}/${id}`)).status).toBe(200)
  })

  it.each<[string, (owner: Person, code: string, id: string) => Promise<unknown>]>([
    ['its link is deleted', deleteLink],
    [
      'a file is deleted',
      (person, _, id) => person.fetch(`/api/files/${id}`, { method: 'DELETE' }),
    ],
    ['it is taken down', (_, code) => takeDownOrThrow(admin, code)],
    [
      'the account is deleted',
      ({ password, ...client }) => requestAccountDeletion(client, { password }),
    ],
  ])('breaks off if %s in the meantime', async (_, end) => {
    const person = await makePerson(app, { tier: 'premium' })
    const { code, files: linkFiles } = await makeLink(
      person,
      {},
      contentsOf(mebibyte, 16 * mebibyte, 10),
    )
    const { response, received } = await startReading(code)
    await end(person, code, linkFiles[2]?.id ?? '')
    response.resume()
    await expect(once(response, 'end')).rejects.toThrow()
    expect(response.complete).toBe(false)
    expect(received()).toBeLessThan(Number(response.headers['content-length']))
    await eventually(() => expect(app.deps.transfers.activeCount()).toBe(0))
  })
})

/** Requests an archive and reads only its beginning. */
async function startReading(code: string) {
  const client = request(`${app.url}/api/download/${code}`, { agent: false })
  client.end()
  const [response] = (await once(client, 'response')) as [IncomingMessage]
  let count = 0
  response.on('data', (chunk: Buffer) => {
    count += chunk.length
  })
  await once(response, 'data')
  response.pause()
  return { response, received: () => count }
}
