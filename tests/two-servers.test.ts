import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sweepUploads } from '../src/server/uploads/sweep-uploads.ts'
import type { File } from '../src/shared/contract/files.ts'
import { serveApp, type TestApp } from './support/app-server.ts'
import { eventually } from './support/eventually.ts'
import {
  json,
  listParts,
  logIn,
  makeClient,
  makePerson,
  type Person,
  putBytes,
  signParts,
  startUpload,
} from './support/make.ts'
import { pieceOf, putPart, startInParts } from './support/parted-uploads.ts'
import { freshDatabase } from './support/postgres.ts'
import type { TestDatabase } from './support/postgres-server.ts'
import { abort, askForList, confirm, download, expectRefusal } from './support/upload-requests.ts'

let database: TestDatabase
let dataDir: string
let one: TestApp
let two: TestApp

beforeAll(async () => {
  database = await freshDatabase()
  dataDir = await mkdtemp(join(tmpdir(), 'mayfly-two-servers-'))
  const start = () =>
    serveApp(
      { ...database, drop: async () => {} },
      { dataDir, isOneOfSeveral: true, env: { RATE_LIMITS: 'on' } },
    )
  one = await start()
  two = await start()
})
afterAll(async () => {
  await one.close()
  await two.close()
  await database.drop()
  await rm(dataDir, { recursive: true })
})

/** Makes a person with a client for each of the two servers. A session is valid at both. */
async function atBoth(facts: Parameters<typeof makePerson>[1] = {}) {
  const here = await makePerson(one, facts)
  const cookie = await logIn(one, here.email, here.password)
  const there: Person = { ...here, ...makeClient(two, cookie) }
  return { here, there }
}

function advanceBoth(milliseconds: number): void {
  for (const app of [one, two]) app.clock.advance(milliseconds)
}

/** The same presigned URL at the other server. Its signature does not name the server. */
function atTwo(url: string): string {
  return url.replace(one.url, two.url)
}

test('an upload whose calls and parts go to either server becomes one file at both', async () => {
  const { here, there } = await atBoth()
  const upload = await startInParts(one, here)
  const urls = await json<{ urls: Record<string, string> }>(
    await here.post('/api/files/upload-parts', {
      cloudKey: upload.cloudKey,
      partNumbers: [1, 2, 3],
    }),
  )
  for (const part of [1, 2, 3]) {
    const url = urls.urls[part] ?? ''
    const answer = await putPart(part === 2 ? atTwo(url) : url, pieceOf(upload, part))
    expect(answer.status).toBe(200)
  }
  expect(await listParts(there, upload.cloudKey)).toEqual(await listParts(here, upload.cloudKey))
  const confirmed = await Promise.all([
    confirm(here, upload.cloudKey),
    confirm(there, upload.cloudKey),
  ])
  expect(confirmed.map(({ status }) => status)).toEqual([200, 200])
  const [file, same] = await Promise.all(confirmed.map((answer) => json<File>(answer)))
  expect(same).toEqual(file)
  for (const app of [one, two]) expect(await download(app, file as File)).toEqual(upload.bytes)
})

test('an upload that was aborted at one server takes no byte at the other', async () => {
  const { here, there } = await atBoth()
  const started = await startUpload(here, { size: 10 })
  expect((await abort(there, started.cloudKey)).status).toBe(200)
  expect((await putBytes(started, new Uint8Array(10))).status).toBe(404)
})

test('bytes that arrive at one server keep the upload from the sweep of the other', async () => {
  const { here } = await atBoth({ tier: 'premium' })
  const [moving, idle] = [await startInParts(one, here), await startInParts(one, here)]
  const [url = ''] = await signParts(here, moving.cloudKey, [1])
  const minute = 60_000
  advanceBoth(30 * minute)
  expect((await putPart(atTwo(url), pieceOf(moving, 1))).status).toBe(200)
  advanceBoth(24 * 60 * minute - 1)
  await sweepUploads(one.deps)
  expect((await listParts(here, moving.cloudKey)).map(({ partNumber }) => partNumber)).toEqual([1])
  await expectRefusal(await askForList(here, idle.cloudKey), 404, 'UPLOAD_NOT_FOUND')
})

test('downloads at both servers are counted together', async () => {
  const { here } = await atBoth()
  const started = await startUpload(here, { size: 10 })
  await putBytes(started, new Uint8Array(10))
  const file = await json<File>(await confirm(here, started.cloudKey))
  const times = Array.from({ length: 10 }, (_, index) => (index % 2 === 0 ? one : two))
  await Promise.all(times.map((app) => download(app, file)))
  const files = await json<File[]>(await here.fetch('/api/files'))
  expect(files.map(({ downloadCount }) => downloadCount)).toEqual([10])
})

test('a session that ends at one server is over at the other', async () => {
  const { here, there } = await atBoth()
  expect((await there.fetch('/api/auth/user')).status).toBe(200)
  expect((await there.fetch('/api/logout')).status).toBe(302)
  expect((await there.fetch('/api/auth/user')).status).toBe(401)
  expect((await here.fetch('/api/auth/user')).status).toBe(200)
})

test('wrong passwords at both servers are counted together', async () => {
  const { here } = await atBoth()
  const wrong = { email: here.email, password: 'a wrong password' }
  const statuses: number[] = []
  for (let attempt = 0; attempt < 12; attempt += 1) {
    const app = attempt % 2 === 0 ? one : two
    statuses.push((await makeClient(app).post('/api/auth/login', wrong)).status)
  }
  expect(statuses).toEqual([...Array(10).fill(401), 429, 429])
})

test('a setting that changes at one server is in force at the other without a wait', async () => {
  const { here } = await atBoth({ role: 'admin' })
  const price = async (app: TestApp) =>
    json<object>(await makeClient(app).fetch('/api/settings/premium-price'))
  const page = async () => {
    const answer = await fetch(two.url, { headers: { accept: 'text/html' } })
    return answer.text()
  }
  expect([await price(one), await price(two)]).toEqual([{ price: 8 }, { price: 8 }])
  expect(await page()).toContain('$8')
  const change = { key: 'premium_price', value: '9' }
  expect((await here.post('/api/admin/settings', change)).status).toBe(200)
  expect(await price(one)).toEqual({ price: 9 })
  await eventually(async () => expect(await price(two)).toEqual({ price: 9 }))
  const shown = await page()
  expect([shown.includes('$8'), shown.includes('$9')]).toEqual([false, true])
})

test('a server that will stop says that it is not ready, and goes on answering', async () => {
  expect((await fetch(`${two.url}/api/ready`)).status).toBe(200)
  two.beginStop()
  expect((await fetch(`${two.url}/api/ready`)).status).toBe(503)
  const health = await fetch(`${two.url}/api/health`)
  expect([health.status, health.headers.get('connection')]).toEqual([200, 'close'])
  expect((await fetch(`${one.url}/api/ready`)).status).toBe(200)
})
