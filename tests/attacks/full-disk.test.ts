import { randomBytes } from 'node:crypto'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventually } from '../support/eventually.ts'
import { findFreePort } from '../support/free-port.ts'
import {
  type Client,
  json,
  logIn,
  makeClient,
  makeFile,
  putBytes,
  signUp,
} from '../support/make.ts'
import { type ServerProcess, startServerProcess } from '../support/server-process.ts'
import { mountSmallDisk, type SmallDisk } from '../support/small-disk.ts'
import { describeOnSmallDisk } from '../support/test-requirements.ts'
import { expectError, requestUpload } from '../support/upload-requests.ts'

/**
 * A real server with embedded Postgres on a disk of 110 MB. The attack: fill the disk with
 * unconfirmed uploads and other data, so that nobody can sign in and the server can't restart.
 */
const mebibyte = 1024 ** 2
const diskBytes = 110 * mebibyte
/**
 * The reserve promised in docs/operations.md: half for a running server, half for its next start.
 */
const reserveBytes = 40 * mebibyte

let disk: SmallDisk
let settings: { dataDir: string; port: number }
let server: ServerProcess
let account: { email: string; password: string }
let user: Client
let file: Awaited<ReturnType<typeof makeFile>>

async function signIn() {
  return makeClient(server, await logIn(server, account.email, account.password))
}

async function measureReserve(): Promise<number> {
  const stats = await stat(join(settings.dataDir, 'reserve')).catch(() => null)
  // Count allocated blocks, because a sparse file's size says nothing about disk use.
  return stats === null ? 0 : stats.blocks * 512
}

function waitFor(check: () => Promise<void>) {
  return eventually(check)
}

async function expectNormalService() {
  user = await signIn()
  const files = await json<{ id: string }[]>(await user.fetch('/api/files'))
  expect(files.map(({ id }) => id)).toContain(file.id)
  const response = await makeClient(server).fetch(`/api/download/${file.shortCode}`)
  expect(Buffer.from(await response.arrayBuffer()).equals(file.bytes)).toBe(true)
  expect((await makeClient(server).fetch(`/s/${file.shortCode}`)).status).toBe(200)
  await expectError(await requestUpload(user), 507, 'STORAGE_FULL')
}

describeOnSmallDisk('a disk of 110 MB', () => {
  beforeAll(async () => {
    disk = await mountSmallDisk(diskBytes)
    settings = { dataDir: join(disk.folder, 'data'), port: await findFreePort() }
    server = await startServerProcess(settings)
    account = await signUp(server)
    user = await signIn()
    file = await makeFile(user, { bytes: new Uint8Array(randomBytes(mebibyte)) })
    await waitFor(async () => expect(await measureReserve()).toBe(reserveBytes))
  })
  afterAll(async () => {
    server?.kill('SIGTERM')
    await server?.exitCode
    await disk?.close()
  })

  test("unconfirmed uploads can't fill the disk, even without a free-space minimum", async () => {
    const size = 4 * mebibyte
    const errorResponses: Response[] = []
    for (let attempt = 0; attempt < 2; attempt += 1) {
      const startResponse = await requestUpload(user, { fileSize: size })
      if (startResponse.ok)
        await putBytes(await json(startResponse), new Uint8Array(randomBytes(size)))
      else errorResponses.push(startResponse)
    }
    for (const response of errorResponses) await expectError(response, 507, 'STORAGE_FULL')
    expect(errorResponses).not.toEqual([])
    expect(await disk.freeBytes()).toBeGreaterThan(20 * mebibyte)
    expect(await measureReserve()).toBe(reserveBytes)
  })

  test('on a full disk, half of the reserve is released and only uploads fail', async () => {
    await disk.fill()
    await waitFor(async () => expect(await measureReserve()).toBe(reserveBytes / 2))
    await expectNormalService()
  })

  test('on a disk that is full again, everything but uploads works, and a killed server starts with the other half', async () => {
    await disk.fill()
    expect(await disk.freeBytes()).toBe(0)
    await expectNormalService()
    server.kill('SIGKILL')
    await server.exitCode
    // Fill what the server freed, too.
    await disk.fill()
    server = await startServerProcess(settings)
    expect(await measureReserve()).toBeLessThan(reserveBytes / 2)
    await expectNormalService()
  })

  test('freeing space restores the reserve and uploads', async () => {
    const freeBytesBefore = await disk.freeBytes()
    expect((await user.fetch(`/api/files/${file.id}`, { method: 'DELETE' })).status).toBe(200)
    expect(await disk.freeBytes()).toBeGreaterThan(freeBytesBefore)
    await expectError(await requestUpload(user), 507, 'STORAGE_FULL')
    await disk.clear()
    await waitFor(async () => expect(await measureReserve()).toBe(reserveBytes))
    await waitFor(async () => expect((await requestUpload(user)).status).toBe(200))
  })
})
