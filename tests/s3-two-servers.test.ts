import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { settingsCacheMs } from '../src/server/settings/admin-settings.ts'
import type { File } from '../src/shared/contract/files.ts'
import { serveApp, type TestApp } from './support/app-server.ts'
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
import { freshDatabase } from './support/postgres.ts'
import type { TestDatabase } from './support/postgres-server.ts'
import { describeOnS3, makeBucket } from './support/s3.ts'
import { abortUpload, expectError, requestConfirm } from './support/upload-requests.ts'

const partSize = 8 * 1024 ** 2

/** Downloads a file, following the redirect to the bucket. */
async function download({ url }: TestApp, { shortCode }: File): Promise<Buffer> {
  const response = await fetch(`${url}/api/download/${shortCode}`)
  expect(response.status).toBe(200)
  return Buffer.from(await response.arrayBuffer())
}

describeOnS3('across two servers with one Postgres and one bucket', () => {
  let database: TestDatabase
  let firstApp: TestApp
  let secondApp: TestApp

  beforeAll(async () => {
    database = await freshDatabase()
    const env = { ...(await makeBucket()).env, RATE_LIMITS: 'on' }
    const start = () => serveApp({ ...database, drop: async () => {} }, { env })
    firstApp = await start()
    secondApp = await start()
  })
  afterAll(async () => {
    await firstApp.close()
    await secondApp.close()
    await database.drop()
  })

  /** Creates a user with one client for each server. Both clients share a session. */
  const makeUserOnBoth = async (options: Parameters<typeof makePerson>[1] = {}) => {
    const userOnFirst = await makePerson(firstApp, options)
    const cookie = await logIn(firstApp, userOnFirst.email, userOnFirst.password)
    const userOnSecond: Person = { ...userOnFirst, ...makeClient(secondApp, cookie) }
    return { here: userOnFirst, there: userOnSecond }
  }

  test('an upload can switch servers at every call', async () => {
    const { here, there } = await makeUserOnBoth()
    const bytes = new Uint8Array(randomBytes(partSize + 1000))
    const { cloudKey } = await startUpload(here, { size: bytes.length })
    for (const [person, partNumber] of [
      [there, 1],
      [here, 2],
    ] as const) {
      const [url = ''] = await signParts(person, cloudKey, [partNumber])
      const body = bytes.subarray((partNumber - 1) * partSize, partNumber * partSize)
      const response = await fetch(url, {
        method: 'PUT',
        headers: { 'content-type': 'text/plain' },
        body,
      })
      expect(response.status).toBe(200)
    }
    const storedParts = await listParts(there, cloudKey)
    expect(storedParts.map(({ partNumber }) => partNumber)).toEqual([1, 2])
    expect(await listParts(here, cloudKey)).toEqual(storedParts)
    const confirmResponses = await Promise.all([
      requestConfirm(here, cloudKey),
      requestConfirm(there, cloudKey),
    ])
    expect(confirmResponses.map(({ status }) => status)).toEqual([200, 200])
    const [file, sameFile] = await Promise.all(
      confirmResponses.map((response) => json<File>(response)),
    )
    expect(sameFile).toEqual(file)
    for (const app of [firstApp, secondApp])
      expect((await download(app, file as File)).equals(bytes)).toBe(true)
  })

  test('an upload aborted on one server has ended on the other', async () => {
    const { here, there } = await makeUserOnBoth()
    const startedUpload = await startUpload(here, { size: 10 })
    expect((await abortUpload(there, startedUpload.cloudKey)).status).toBe(200)
    expect((await putBytes(startedUpload, new Uint8Array(10))).status).toBe(404)
    await expectError(await requestConfirm(here, startedUpload.cloudKey), 404, 'UPLOAD_NOT_FOUND')
  })

  test('downloads count across servers', async () => {
    const { here } = await makeUserOnBoth()
    const startedUpload = await startUpload(here, { size: 10 })
    await putBytes(startedUpload, new Uint8Array(10))
    const file = await json<File>(await requestConfirm(here, startedUpload.cloudKey))
    const servers = Array.from({ length: 10 }, (_, index) =>
      index % 2 === 0 ? firstApp : secondApp,
    )
    await Promise.all(servers.map((app) => download(app, file)))
    const files = await json<File[]>(await here.fetch('/api/files'))
    expect(files.map(({ downloadCount }) => downloadCount)).toEqual([10])
  })

  test('a session ended on one server has ended on the other', async () => {
    const { here, there } = await makeUserOnBoth()
    expect((await there.fetch('/api/auth/user')).status).toBe(200)
    expect((await there.fetch('/api/logout')).status).toBe(302)
    expect((await there.fetch('/api/auth/user')).status).toBe(401)
    expect((await here.fetch('/api/auth/user')).status).toBe(200)
  })

  test('a setting changed on one server applies on the other after 5 minutes', async () => {
    const { here } = await makeUserOnBoth({ role: 'admin' })
    const readPrice = async (app: TestApp) =>
      json<object>(await makeClient(app).fetch('/api/settings/premium-price'))
    const fetchPage = async () => {
      const response = await fetch(secondApp.url, { headers: { accept: 'text/html' } })
      return response.text()
    }
    expect([await readPrice(firstApp), await readPrice(secondApp)]).toEqual([
      { price: 8 },
      { price: 8 },
    ])
    expect(await fetchPage()).toContain('$8')
    const priceChange = { key: 'premium_price', value: '9' }
    expect((await here.post('/api/admin/settings', priceChange)).status).toBe(200)
    expect(await readPrice(firstApp)).toEqual({ price: 9 })
    secondApp.clock.advance(settingsCacheMs)
    expect(await readPrice(secondApp)).toEqual({ price: 9 })
    const html = await fetchPage()
    expect([html.includes('$8'), html.includes('$9')]).toEqual([false, true])
  })

  test('a stopping server reports not ready but still responds', async () => {
    expect((await fetch(`${secondApp.url}/api/ready`)).status).toBe(200)
    secondApp.announceShutdown()
    expect((await fetch(`${secondApp.url}/api/ready`)).status).toBe(503)
    const healthResponse = await fetch(`${secondApp.url}/api/health`)
    expect([healthResponse.status, healthResponse.headers.get('connection')]).toEqual([
      200,
      'close',
    ])
    expect((await fetch(`${firstApp.url}/api/ready`)).status).toBe(200)
  })
})
