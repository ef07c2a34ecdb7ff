import { afterAll, beforeAll, expect, test } from 'vitest'
import type { File } from '../src/shared/contract/files.ts'
import { expectStorageMatches, runJobs } from './faults/jobs.ts'
import {
  json,
  makeClient,
  makeFile,
  makePerson,
  putBytes,
  requestRenewal,
  startUpload,
} from './support/make.ts'
import { startTestApp, type TestApp } from './support/test-app.ts'
import {
  download,
  expectError,
  requestConfirm,
  requestDownload,
  requestUpload,
} from './support/upload-requests.ts'

const day = 24 * 60 * 60_000
const maxFreeFiles = 3

let app: TestApp
beforeAll(async () => {
  app = await startTestApp({ env: { RATE_LIMITS: 'on' } })
})
afterAll(() => app.close())

async function listFailedLoginStatuses(email: string, attemptCount: number): Promise<number[]> {
  const statuses: number[] = []
  for (let attempt = 0; attempt < attemptCount; attempt += 1) {
    const wrongLogin = { email, password: `wrong ${attempt}` }
    statuses.push((await makeClient(app).post('/api/auth/login', wrongLogin)).status)
  }
  return statuses
}

test('correcting a clock that was four days ahead revives no purged link and locks no user out', async () => {
  const ada = await makePerson(app)
  const bob = await makePerson(app, { tier: 'premium' })
  const carol = await makePerson(app)
  const expiredFile = await makeFile(ada)
  const renewableFile = await makeFile(bob)
  const openUpload = await startUpload(ada, { size: 10 })
  await putBytes(openUpload, new Uint8Array(10))

  app.clock.advance(4 * day)
  await runJobs(app.deps)
  for (const person of [ada, bob]) expect((await person.fetch('/api/auth/user')).status).toBe(200)
  const laterFiles: File[] = []
  while (laterFiles.length < maxFreeFiles) laterFiles.push(await makeFile(ada))
  expect(await listFailedLoginStatuses(carol.email, 11)).toEqual([...Array(10).fill(401), 429])

  app.clock.advance(-4 * day)
  // The file's row says that it expires in three days, but its bytes have already been purged.
  expect((await requestDownload(app, expiredFile.shortCode)).status).toBe(404)
  expect((await requestConfirm(ada, openUpload.cloudKey)).status).toBe(404)
  for (const file of laterFiles) expect((await download(app, file)).length).toBe(1000)
  const renewedFile = await json<File>(await requestRenewal(bob, renewableFile.id))
  expect(
    Buffer.from(await download(app, renewedFile)).equals(Buffer.from(renewableFile.bytes)),
  ).toBe(true)
  for (const person of [ada, bob]) expect((await person.fetch('/api/auth/user')).status).toBe(200)

  // Files created while the clock was ahead count toward the file limit. The purged file doesn't.
  await expectError(await requestUpload(ada), 403, 'TIER_FILE_COUNT')
  const [firstFile, secondFile] = laterFiles
  expect((await ada.fetch(`/api/files/${firstFile?.id}`, { method: 'DELETE' })).status).toBe(200)
  expect((await requestUpload(ada)).status).toBe(200)
  await expectError(await requestUpload(ada), 403, 'TIER_FILE_COUNT')

  // Failed logins recorded while the clock was ahead lock nobody out, but new ones still count.
  const { email, password } = carol
  expect((await makeClient(app).post('/api/auth/login', { email, password })).status).toBe(200)
  expect(await listFailedLoginStatuses(bob.email, 11)).toEqual([...Array(10).fill(401), 429])

  await runJobs(app.deps)
  await expectStorageMatches(app.deps)
  app.clock.advance(4 * day)
  await runJobs(app.deps)
  expect((await download(app, secondFile as File)).length).toBe(1000)
  app.clock.advance(40 * day)
  await runJobs(app.deps)
  await expectStorageMatches(app.deps)
  expect((await requestDownload(app, renewedFile.shortCode)).status).toBe(404)
})
