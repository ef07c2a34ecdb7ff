import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createBucketReader } from './faults/storage-reader.ts'
import { chooseCrashRounds, runCrashScenario } from './support/crash-scenario.ts'
import { expectConsistentDaysLater } from './support/days-later.ts'
import { findFreePort } from './support/free-port.ts'
import { logIn, makeClient, makeFile, signUp } from './support/make.ts'
import { type NginxProxy, startNginxProxy } from './support/nginx.ts'
import { freshDatabase } from './support/postgres.ts'
import type { TestDatabase } from './support/postgres-server.ts'
import { describeOnS3, makeBucket, type TestBucket } from './support/s3.ts'
import { type SendOptions, send } from './support/send.ts'
import { type ServerProcess, startServerProcess } from './support/server-process.ts'
import { describeBehindNginx } from './support/test-requirements.ts'

describeOnS3('two servers with one Postgres and one bucket', () => {
  describeBehindNginx('behind nginx', () => {
    let folder: string
    let database: TestDatabase
    let bucket: TestBucket
    let ports: number[]
    let proxy: NginxProxy
    let start: (serverIndex: number) => Promise<ServerProcess>
    let servers: ServerProcess[]

    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'mayfly-crashes-'))
      database = await freshDatabase()
      bucket = await makeBucket()
      ports = [await findFreePort(), await findFreePort()]
      proxy = await startNginxProxy(ports)
      const env = {
        ...bucket.env,
        DATABASE_URL: database.url,
        APP_URL: proxy.url,
        TRUST_PROXY: 'on',
        AUTH_SECRET: 'a secret that all servers of this test share',
        LOG_LEVEL: 'error',
      }
      start = (serverIndex) =>
        startServerProcess({
          dataDir: join(folder, String(serverIndex)),
          port: ports[serverIndex] as number,
          env,
        })
      // Start both servers at once on an empty database.
      servers = await Promise.all([start(0), start(1)])
    })
    afterAll(async () => {
      for (const server of servers) server.kill('SIGKILL')
      await Promise.all(servers.map(({ exitCode }) => exitCode))
      await proxy.stop()
      await database.drop()
      await rm(folder, { recursive: true, force: true })
    })

    it('lose nothing confirmed while they are killed in turn', async () => {
      await runCrashScenario(proxy, chooseCrashRounds(1), async (round) => {
        const serverIndex = round % 2
        const killedServer = servers[serverIndex] as ServerProcess
        killedServer.kill('SIGKILL')
        await killedServer.exitCode
        return async () => {
          servers[serverIndex] = await start(serverIndex)
        }
      })
    })

    it('drop no request during a rolling restart', async () => {
      const { email, password } = await signUp(proxy)
      const cookie = await logIn(proxy, email, password)
      const ada = makeClient(proxy, cookie)
      const { shortCode } = await makeFile(ada)
      const statuses = new Map<string, Set<number>>()
      let isRunning = true
      // Repeats a request with pauses in between, which leave CPU time to the server that is
      // starting.
      const repeatRequest = async (name: string, path: string, sending: SendOptions = {}) => {
        const headers = { cookie, 'content-type': 'application/json' }
        for (; isRunning; await wait(25)) {
          const { status } = await send(`${proxy.url}${path}`, { ...sending, headers })
          statuses.set(name, (statuses.get(name) ?? new Set()).add(status))
        }
      }
      // If the first server has received a POST, nginx doesn't try it on the second.
      const body = JSON.stringify({ cloudKey: 'a'.repeat(26) })
      const requestLoopsPromise = Promise.all([
        repeatRequest('list', '/api/files'),
        repeatRequest('health', '/api/health'),
        repeatRequest('abort', '/api/files/abort-upload', { method: 'POST', body }),
        repeatRequest('download', `/api/download/${shortCode}`),
      ])
      for (let restart = 0; restart < chooseCrashRounds(1); restart += 1) {
        const serverIndex = restart % 2
        const stoppingServer = servers[serverIndex] as ServerProcess
        // Remove the server from nginx before stopping it, as described in docs/operations.md.
        await proxy.routeTo(ports.filter((_, otherIndex) => otherIndex !== serverIndex))
        stoppingServer.kill('SIGTERM')
        expect(await stoppingServer.exitCode).toBe(0)
        servers[serverIndex] = await start(serverIndex)
        await proxy.routeTo(ports)
      }
      isRunning = false
      await requestLoopsPromise
      const statusesByName = Object.fromEntries(
        [...statuses].map(([name, found]) => [name, [...found]]),
      )
      expect(statusesByName).toEqual({ list: [200], health: [200], abort: [404], download: [302] })
    })

    it("leave nothing that the jobs don't delete within days", async () => {
      for (const server of servers) server.kill('SIGTERM')
      await Promise.all(servers.map(({ exitCode }) => exitCode))
      await expectConsistentDaysLater({
        databaseUrl: database.url,
        dataDir: join(folder, '0'),
        env: bucket.env,
        storageReader: createBucketReader(bucket),
      })
    })
  })
})
