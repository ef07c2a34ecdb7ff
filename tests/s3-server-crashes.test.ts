import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, it } from 'vitest'
import { bytesInBucket } from './faults/stored-bytes.ts'
import { playCrashes, roundsOfCrashes } from './support/crash-play.ts'
import { expectInOrderDaysLater } from './support/days-later.ts'
import { freePort } from './support/free-port.ts'
import { describeBehindNginx } from './support/machine-needs.ts'
import { type NginxProxy, startNginxProxy } from './support/nginx.ts'
import { freshDatabase } from './support/postgres.ts'
import type { TestDatabase } from './support/postgres-server.ts'
import { describeOnS3, makeBucket, type TestBucket } from './support/s3.ts'
import { type ServerProcess, startServerProcess } from './support/server-process.ts'

describeOnS3('two servers with one Postgres and one bucket', () => {
  describeBehindNginx('behind nginx', () => {
    let folder: string
    let database: TestDatabase
    let bucket: TestBucket
    let ports: number[]
    let proxy: NginxProxy
    let start: (number: number) => Promise<ServerProcess>
    let servers: ServerProcess[]

    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'mayfly-crashes-'))
      database = await freshDatabase()
      bucket = await makeBucket()
      ports = [await freePort(), await freePort()]
      proxy = await startNginxProxy(ports)
      const env = {
        ...bucket.env,
        DATABASE_URL: database.url,
        APP_URL: proxy.url,
        TRUST_PROXY: 'on',
        AUTH_SECRET: 'a secret that all servers of this test share',
        LOG_LEVEL: 'error',
      }
      start = (number) =>
        startServerProcess({
          dataDir: join(folder, String(number)),
          port: ports[number] as number,
          env,
        })
      // Both start on a database without rows, at the same time.
      servers = await Promise.all([start(0), start(1)])
    })
    afterAll(async () => {
      for (const server of servers) server.kill('SIGKILL')
      await Promise.all(servers.map(({ ended }) => ended))
      await proxy.stop()
      await database.drop()
      await rm(folder, { recursive: true, force: true })
    })

    it('lose nothing that they acknowledged while one after the other is killed', async () => {
      await playCrashes(proxy, roundsOfCrashes(2), async (round) => {
        const number = round % 2
        const killed = servers[number] as ServerProcess
        killed.kill('SIGKILL')
        await killed.ended
        return async () => {
          servers[number] = await start(number)
        }
      })
    })

    it('leave nothing but what the jobs remove days later', async () => {
      for (const server of servers) server.kill('SIGTERM')
      await Promise.all(servers.map(({ ended }) => ended))
      await expectInOrderDaysLater({
        databaseUrl: database.url,
        dataDir: join(folder, '0'),
        env: bucket.env,
        stored: bytesInBucket(bucket),
      })
    })
  })
})
