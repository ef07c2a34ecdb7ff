import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer, type IncomingMessage, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { childEnvironment, findProgram, root } from './support/child-program.ts'
import { prepareDataFolder } from './support/data-folder.ts'
import { eventually } from './support/eventually.ts'
import { findFreePort } from './support/free-port.ts'
import { freshDatabase } from './support/postgres.ts'

/** A server in a separate process, as in production. */
interface Run {
  child: ChildProcess
  url: string
  /** Resolves with everything written to stderr once the server has exited. */
  stderr: Promise<string>
  ended: Promise<number | null>
}

let dataDir: string
let runs: Run[]

beforeEach(async () => {
  dataDir = join(await mkdtemp(join(tmpdir(), 'mayfly lifecycle ')), 'data')
  runs = []
})

afterEach(async () => {
  for (const { child, ended } of runs) {
    child.kill('SIGTERM')
    await ended
  }
  await rm(join(dataDir, '..'), { recursive: true })
})

async function run(environment: Record<string, string> = {}): Promise<Run> {
  const port = await findFreePort()
  const child = spawn(process.execPath, [findProgram('start')], {
    cwd: root,
    env: {
      ...childEnvironment,
      DATA_DIR: dataDir,
      PORT: String(port),
      ...environment,
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const exitPromise = once(child, 'exit').then(([code]) => code)
  const newRun = {
    child,
    url: `http://127.0.0.1:${port}`,
    stderr: text(child.stderr),
    ended: exitPromise,
  }
  runs.push(newRun)
  return newRun
}

async function startServer(environment?: Record<string, string>): Promise<Run> {
  const newRun = await run(environment)
  await eventually(async () => {
    expect(newRun.child.exitCode).toBe(null)
    expect((await fetch(`${newRun.url}/api/ready`)).status).toBe(200)
  })
  return newRun
}

async function stop({ child, ended }: Run): Promise<number | null> {
  child.kill('SIGTERM')
  return ended
}

async function expectPostgresStopped(): Promise<void> {
  await expect(readFile(join(dataDir, 'postgres/postmaster.pid'))).rejects.toThrow('ENOENT')
}

async function post(url: string, body: object): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: new URL(url).origin },
    body: JSON.stringify(body),
  })
}

const person = { email: 'ada@example.org', password: 'correct horse' }

function signUp({ url }: Run) {
  return post(`${url}/api/auth/signup`, {
    ...person,
    firstName: 'Ada',
    lastName: 'Lovelace',
    confirmPassword: person.password,
  })
}

function logIn({ url }: Run, credentials: object = person) {
  return post(`${url}/api/auth/login`, credentials)
}

const halfOfBody = Buffer.alloc(1024 * 1024, 'mayfly')

/** Signs in, starts an upload and sends the first half of its bytes. */
async function startUpload(server: Run) {
  const loginResponse = await logIn(server)
  const origin = server.url
  const startResponse = await fetch(`${origin}/api/files/get-upload-url`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      cookie: loginResponse.headers.getSetCookie().join('; '),
      origin,
    },
    body: JSON.stringify({
      fileName: 'half.bin',
      fileSize: 2 * halfOfBody.length,
      fileType: 'application/octet-stream',
      expirationDays: '3',
    }),
  })
  const { uploadUrl } = (await startResponse.json()) as { uploadUrl: string }
  const upload = request(uploadUrl, {
    method: 'PUT',
    headers: {
      'content-length': 2 * halfOfBody.length,
      'content-type': 'application/octet-stream',
      expect: '100-continue',
    },
  })
  upload.flushHeaders()
  await once(upload, 'continue')
  upload.write(halfOfBody)
  return upload
}

/* Starting a server takes seconds of CPU time, so a single test covers the whole lifecycle. */

test('a server starts, refuses a second one, drains, stops gracefully, restarts, and exits at once on a second signal', async () => {
  const firstServer = await startServer({ DRAIN_SECONDS: '1' })
  const email = 'admin@localhost.localdomain'
  const password = (await readFile(join(dataDir, 'admin-password'), 'utf8')).trim()
  expect((await logIn(firstServer, { email, password })).status).toBe(200)

  // A second server on the same data directory exits without affecting the first.
  const secondRun = await run()
  expect(await secondRun.ended).toBe(1)
  const errorMessage = `Another server is running on ${dataDir}. Stop it first, or give this one a DATA_DIR of its own.\n`
  expect(await secondRun.stderr).toBe(errorMessage)
  const runWithUrl = await run({ DATABASE_URL: 'postgres://127.0.0.1:1/nobody-is-asked' })
  expect(await runWithUrl.ended).toBe(1)
  expect(await runWithUrl.stderr).toBe(errorMessage)
  expect((await signUp(firstServer)).status).toBe(200)

  // After a signal and DRAIN_SECONDS, an upload in progress can finish, but new requests are
  // rejected.
  const upload = await startUpload(firstServer)
  firstServer.child.kill('SIGTERM')
  await eventually(() => expect(fetch(`${firstServer.url}/api/health`)).rejects.toThrow())
  upload.end(halfOfBody)
  const [response] = (await once(upload, 'response')) as [IncomingMessage]
  expect([200, 204]).toContain(response.statusCode)
  expect(await firstServer.ended).toBe(0)
  await expectPostgresStopped()
  const stderr = await firstServer.stderr
  expect(stderr).toContain(`Mayfly is ready: ${firstServer.url}\n`)
  expect(stderr).toContain(email)
  expect(stderr.split(password)).toHaveLength(2)

  // All data survives the restart, and the server doesn't print the administrator's password again.
  const secondServer = await startServer({ DRAIN_SECONDS: '600' })
  expect((await logIn(secondServer, { email, password })).status).toBe(200)

  // For DRAIN_SECONDS, a stopping server still responds but reports not ready.
  const uploadErrorPromise = once(await startUpload(secondServer), 'error')
  secondServer.child.kill('SIGTERM')
  await eventually(async () => {
    expect((await fetch(`${secondServer.url}/api/ready`)).status).toBe(503)
  })
  expect((await fetch(`${secondServer.url}/api/health`)).status).toBe(200)
  expect((await fetch(`${secondServer.url}/faq`)).status).toBe(200)

  // A second signal stops the server and Postgres immediately.
  await eventually(() => {
    secondServer.child.kill('SIGTERM')
    expect(secondServer.child.exitCode).toBe(1)
  })
  await uploadErrorPromise
  await eventually(expectPostgresStopped)
  expect(await secondServer.stderr).toBe(`Mayfly is ready: ${secondServer.url}\n`)
})

describe('a failed start exits with 1 and reports', () => {
  test('all invalid settings', async () => {
    const failedRun = await run({ LOG_LEVEL: 'loud', APP_URL: 'nowhere', S3_BUCKET: 'files' })
    expect(await failedRun.ended).toBe(1)
    expect((await failedRun.stderr).split('\n')).toEqual([
      '3 settings are wrong:',
      expect.stringContaining('APP_URL is "nowhere"'),
      expect.stringContaining('LOG_LEVEL is "loud"'),
      expect.stringContaining('S3_REGION is missing'),
      '',
    ])
  })

  test('a port in use', async () => {
    const database = await freshDatabase()
    const portHolder = createServer().listen(0, '127.0.0.1')
    await once(portHolder, 'listening')
    const { port } = portHolder.address() as AddressInfo
    const failedRun = await run({ DATABASE_URL: database.url, PORT: String(port) })
    expect(await failedRun.ended).toBe(1)
    expect(await failedRun.stderr).toBe(
      `Port ${port} of 127.0.0.1 is taken: stop the program that has it, or set PORT.\n`,
    )
    portHolder.close()
    await database.drop()
  })
})

test('an uncaught error stops the server gracefully, without draining', async () => {
  await prepareDataFolder(dataDir)
  const throwingScript = `process.on('SIGUSR2', () => { throw new Error('a fault') })`
  const serverRun = await startServer({
    DRAIN_SECONDS: '600',
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(throwingScript)}`,
  })
  serverRun.child.kill('SIGUSR2')
  expect(await serverRun.ended).toBe(1)
  await expectPostgresStopped()
})

test('a signal during startup stops it gracefully', async () => {
  await prepareDataFolder(dataDir)
  const serverRun = await run()
  await eventually(() => readFile(join(dataDir, 'postgres/postmaster.pid')))
  expect(await stop(serverRun)).toBe(0)
  await expectPostgresStopped()
})
