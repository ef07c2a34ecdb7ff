import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { type IncomingMessage, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { File } from '../src/shared/contract/files.ts'
import { roundsOfCrashes } from './support/crash-play.ts'
import { eventually } from './support/eventually.ts'
import { freePort } from './support/free-port.ts'
import { describeBehindNginx } from './support/machine-needs.ts'
import {
  type Client,
  json,
  logIn,
  makeClient,
  makeFile,
  sha256,
  signUp,
  startUpload,
} from './support/make.ts'
import { type NginxProxy, startNginxProxy } from './support/nginx.ts'
import { freshDatabase } from './support/postgres.ts'
import type { TestDatabase } from './support/postgres-server.ts'
import { type Sending, send } from './support/send.ts'
import { type ServerProcess, startServerProcess } from './support/server-process.ts'
import { abort, confirm } from './support/upload-requests.ts'

/**
 * More than the sockets between server and client hold. So a download of this size stops when its
 * client stops reading.
 */
const largeBytes = 24 * 1024 * 1024
const sentBytes = 200_000

describeBehindNginx('two servers with Postgres and one folder, behind the shipped nginx', () => {
  let folder: string
  let database: TestDatabase
  let ports: number[]
  let proxy: NginxProxy
  let start: (number: number) => Promise<ServerProcess>
  let servers: ServerProcess[]

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mayfly-rolling-'))
    database = await freshDatabase()
    ports = [await freePort(), await freePort()]
    proxy = await startNginxProxy(ports)
    const env = {
      DATABASE_URL: database.url,
      APP_URL: proxy.url,
      TRUST_PROXY: 'on',
      AUTH_SECRET: 'a secret that all servers of this test share',
      LOG_LEVEL: 'error',
    }
    start = (number) =>
      startServerProcess({ dataDir: join(folder, 'data'), port: ports[number] as number, env })
    servers = await Promise.all([start(0), start(1)])
  })
  afterAll(async () => {
    for (const server of servers) server.kill('SIGKILL')
    await Promise.all(servers.map(({ ended }) => ended))
    await proxy.stop()
    await database.drop()
    await rm(folder, { recursive: true, force: true })
  })

  /**
   * Returns where to send a request for this address so that it reaches one of the servers, past
   * nginx.
   */
  const at = (number: number, url: string) => {
    const { pathname, search } = new URL(url)
    const headers = { host: new URL(proxy.url).host }
    return { host: '127.0.0.1', port: ports[number], path: pathname + search, headers }
  }

  /**
   * Begins to send a file. Returns a function that sends the second half and confirms the upload.
   */
  const beginPut = async (number: number, person: Client) => {
    const bytes = Buffer.alloc(sentBytes, `sent to ${number}`)
    const upload = await startUpload(person, { size: bytes.length })
    const to = at(number, upload.uploadUrl)
    const headers = { ...to.headers, 'content-type': 'text/plain', 'content-length': bytes.length }
    const put = request({ ...to, agent: false, method: 'PUT', headers })
    put.write(bytes.subarray(0, sentBytes / 2))
    const answered = once(put, 'response') as Promise<[IncomingMessage]>
    return async () => {
      put.end(bytes.subarray(sentBytes / 2))
      const [answer] = await answered
      answer.resume()
      expect(answer.statusCode).toBe(200)
      const file = await json<File>(await confirm(person, upload.cloudKey))
      expect(file.size).toBe(bytes.length)
    }
  }

  /** Begins a download. Returns a function that reads the bytes, most of which wait until then. */
  const beginDownload = async (
    number: number,
    { shortCode, bytes }: File & { bytes: Uint8Array },
  ) => {
    const get = request({ ...at(number, `${proxy.url}/api/download/${shortCode}`), agent: false })
    get.end()
    const [answer] = (await once(get, 'response')) as [IncomingMessage]
    expect(answer.statusCode).toBe(200)
    return async () => expect(sha256(await buffer(answer))).toBe(sha256(bytes))
  }

  it('drop no request while one after the other is restarted, and finish what is in flight', async () => {
    const { email, password } = await signUp(proxy)
    const cookie = await logIn(proxy, email, password)
    const ada = makeClient(proxy, cookie)
    expect((await ada.post('/api/auth/start-trial')).status).toBe(200)
    const large = await makeFile(ada, { bytes: new Uint8Array(largeBytes).fill(65) })
    const small = await makeFile(ada)
    const statuses = new Map<string, Set<number>>()
    let going = true
    const ask = async (name: string, url: string, sending: Sending = {}) => {
      const headers = { cookie, 'content-type': 'application/json', ...sending.headers }
      const { status } = await send(url, { ...sending, headers })
      statuses.set(name, (statuses.get(name) ?? new Set()).add(status))
    }
    // A pause after each request leaves the processor to the server that starts.
    const repeat = async (act: () => Promise<void>) => {
      for (; going; await wait(5)) await act()
    }
    const cloudKey = 'a'.repeat(26)
    const asking = Promise.all([
      repeat(() => ask('list', `${proxy.url}/api/files`)),
      repeat(() => ask('health', `${proxy.url}/api/health`)),
      // A POST, which nginx does not send to a second server once the first one has it.
      repeat(() =>
        ask('abort', `${proxy.url}/api/files/abort-upload`, {
          method: 'POST',
          body: JSON.stringify({ cloudKey }),
        }),
      ),
      repeat(() => ask('download', `${proxy.url}/api/download/${small.shortCode}`)),
      repeat(async () => {
        const { uploadUrl, cloudKey } = await startUpload(ada, { size: sentBytes })
        const headers = { 'content-type': 'text/plain' }
        await ask('put', uploadUrl, { method: 'PUT', headers, body: Buffer.alloc(sentBytes) })
        expect((await abort(ada, cloudKey)).status).toBe(200)
      }),
    ])
    for (let restart = 0; restart < roundsOfCrashes(2); restart += 1) {
      const number = restart % 2
      const stopping = servers[number] as ServerProcess
      const finishPut = await beginPut(number, ada)
      const finishDownload = await beginDownload(number, large)
      // These are the steps of docs/operations.md: nginx first, then the server.
      await proxy.passTo(ports.filter((_, other) => other !== number))
      stopping.kill('SIGTERM')
      // The stopping server takes no more connections, and waits for what is in flight.
      const own = `http://127.0.0.1:${ports[number]}/api/ready`
      await eventually(() => expect(fetch(own)).rejects.toThrow())
      await Promise.all([finishPut(), finishDownload()])
      expect(await stopping.ended).toBe(0)
      servers[number] = await start(number)
      await proxy.passTo(ports)
    }
    going = false
    await asking
    const told = Object.fromEntries([...statuses].map(([name, found]) => [name, [...found]]))
    expect(told).toEqual({
      list: [200],
      health: [200],
      abort: [404],
      download: [200],
      put: [200],
    })
  })
})
