import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer, get, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { File } from '../src/shared/contract/files.ts'
import { prepareDataFolder } from './support/data-folder.ts'
import { openPut } from './support/disk-uploads.ts'
import { eventually } from './support/eventually.ts'
import { freePort } from './support/free-port.ts'
import { json, logIn, makeClient, putBytes, signUp, startUpload } from './support/make.ts'
import { scrape, servingWorkers } from './support/scrape.ts'
import { type ServerProcess, startServerProcess, workerPids } from './support/server-process.ts'
import { confirm } from './support/upload-requests.ts'

let folder: string
let dataDir: string
let server: ServerProcess

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mayfly-workers-'))
  dataDir = join(folder, 'data')
  await prepareDataFolder(dataDir)
  server = await startServerProcess({ dataDir, port: await freePort(), env: { WORKERS: '2' } })
})
afterAll(async () => {
  server.kill('SIGKILL')
  await server.ended
  await rm(folder, { recursive: true, force: true })
})

async function signedIn() {
  const { email, password } = await signUp(server)
  return makeClient(server, await logIn(server, email, password))
}

test('two processes make one server, which goes on when one of them is killed', async () => {
  const before = workerPids(server)
  expect(before).toHaveLength(2)
  const person = await signedIn()
  const started = await startUpload(person, { size: 10 })
  await putBytes(started, new Uint8Array(10).fill(65))
  process.kill(before[0] as number, 'SIGKILL')
  const { shortCode } = await eventually(async () => {
    const confirmed = await confirm(person, started.cloudKey)
    expect(confirmed.status).toBe(200)
    return json<File>(confirmed)
  })
  await eventually(() => {
    expect(workerPids(server)).toHaveLength(2)
    expect(workerPids(server)).not.toContain(before[0])
  })
  await eventually(async () => {
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => fetch(`${server.url}/api/download/${shortCode}`)),
    )
    expect(await Promise.all(answers.map((answer) => answer.text()))).toEqual(
      Array(4).fill('A'.repeat(10)),
    )
  })
})

test('a scrape of any worker tells of all of them, each under its number', async () => {
  const ask = () => fetch(`${server.url}/api/no-such-call`).then((answer) => answer.text())
  await Promise.all(Array.from({ length: 8 }, ask))
  const told = async () => {
    const series = [...(await scrape(server))]
    const of = (name: string) => series.filter(([text]) => text.startsWith(name))
    const asked = of('mayfly_http_requests_total{method="GET",route="undeclared"')
    return {
      workers: of('nodejs_eventloop_lag_p99_seconds').length,
      // One worker asks the database for all. The sum of several answers would be more than 1.
      database: of('mayfly_database_up'),
      asked: asked.reduce((sum, [, value]) => sum + value, 0),
    }
  }
  await expect.poll(told).toEqual({ workers: 2, database: [['mayfly_database_up', 1]], asked: 8 })
  expect(await told()).toEqual(await told())
})

test('a scrape tells of those that serve while another one starts, or hangs at its start', async () => {
  const before = workerPids(server)
  const [first = 0] = before
  process.kill(first, 'SIGKILL')
  const starting = await eventually(() => {
    const fresh = workerPids(server).find((pid) => !before.includes(pid))
    if (fresh === undefined) throw new Error('no worker has taken its place yet')
    return fresh
  })
  process.kill(starting, 'SIGSTOP')
  try {
    expect(await servingWorkers(server)).toBe(1)
  } finally {
    process.kill(starting, 'SIGCONT')
  }
  await expect.poll(() => servingWorkers(server)).toBe(2)
})

test('no client waits for a worker that hangs and is then killed', async () => {
  const [first = 0] = workerPids(server)
  process.kill(first, 'SIGSTOP')
  // Each request has a connection of its own.
  const asked = Array.from({ length: 8 }, () => get(`${server.url}/api/health`, { agent: false }))
  const answers = asked.map((request) => once(request, 'response'))
  await Promise.all(asked.map((request) => once(request, 'finish')))
  process.kill(first, 'SIGKILL')
  const found = (await Promise.all(answers)) as [IncomingMessage][]
  for (const [answer] of found) answer.resume()
  expect(found.map(([{ statusCode }]) => statusCode)).toEqual(Array(8).fill(200))
  // Before both serve again, fetch could send a request on a connection that has just ended with
  // the killed worker.
  await expect.poll(() => servingWorkers(server)).toBe(2)
})

test('a worker takes no signal of its own: a terminal sends Ctrl-C to every process', async () => {
  // The first one serves for certain. A process that only starts may not listen to signals yet.
  const [first = 0] = workerPids(server)
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.kill(first, signal)
  expect((await fetch(`${server.url}/api/ready`)).status).toBe(200)
  expect(workerPids(server)).toContain(first)
})

test('a server that cannot start says so once, and ends with all its processes', async () => {
  const other = createServer((_, response) => void response.writeHead(404).end())
  other.listen(0, '127.0.0.1')
  await once(other, 'listening')
  const { port } = other.address() as AddressInfo
  const inOther = join(folder, 'other')
  await prepareDataFolder(inOther)
  const start = startServerProcess({ dataDir: inOther, port, env: { WORKERS: '2' } })
  await expect(start).rejects.toThrow(
    `The server has ended: Port ${port} of 127.0.0.1 is taken: stop the program that has it, or set PORT.\n`,
  )
  await expect(readFile(join(inOther, 'postgres/postmaster.pid'))).rejects.toThrow('ENOENT')
  other.close()
})

test('SIGTERM lets a transfer finish, whichever worker has it, and then ends everything', async () => {
  const half = Buffer.alloc(512 * 1024, 'mayfly')
  const person = await signedIn()
  const { uploadUrl } = await startUpload(person, { size: 2 * half.length })
  const type = { 'Content-Type': 'text/plain', 'Content-Length': 2 * half.length }
  const upload = openPut(uploadUrl, { ...type, Expect: '100-continue' })
  upload.client.flushHeaders()
  await once(upload.client, 'continue')
  await upload.write(half)
  server.kill('SIGTERM')
  await eventually(() => expect(fetch(`${server.url}/api/health`)).rejects.toThrow())
  const response = once(upload.client, 'response')
  upload.client.end(half)
  const [answer] = (await response) as [IncomingMessage]
  expect(answer.statusCode).toBe(200)
  expect(await server.ended).toBe(0)
  await expect(readFile(join(dataDir, 'postgres/postmaster.pid'))).rejects.toThrow('ENOENT')
})
