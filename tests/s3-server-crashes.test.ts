import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { playCrashes, roundsOfCrashes } from './support/crash-play.ts'
import { freePort } from './support/free-port.ts'
import { describeBehindNginx } from './support/machine-needs.ts'
import { logIn, signUp } from './support/make.ts'
import { type NginxProxy, startNginxProxy } from './support/nginx.ts'
import { freshDatabase } from './support/postgres.ts'
import type { TestDatabase } from './support/postgres-server.ts'
import { describeOnS3, makeBucket } from './support/s3.ts'
import { type Sending, send } from './support/send.ts'
import { type ServerProcess, startServerProcess } from './support/server-process.ts'

describeOnS3('two servers with one Postgres and one bucket', () => {
  describeBehindNginx('behind nginx', () => {
    let folder: string
    let database: TestDatabase
    let ports: number[]
    let proxy: NginxProxy
    let start: (number: number) => Promise<ServerProcess>
    let servers: ServerProcess[]

    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'mayfly-crashes-'))
      database = await freshDatabase()
      const bucket = await makeBucket()
      ports = [await freePort(), await freePort()]
      proxy = await startNginxProxy(ports)
      const env = {
        ...bucket.env,
        DATABASE_URL: database.url,
        APP_URL: proxy.url,
        TRUST_PROXY: 'on',
        AUTH_SECRET: 'a secret that all servers of this test share',
        DRAIN_SECONDS: '2',
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

    it('drop no request while one after the other is restarted', async () => {
      const { email, password } = await signUp(proxy)
      const cookie = await logIn(proxy, email, password)
      const statuses = new Map<number, number>()
      let going = true
      // Each request has a connection of its own. nginx itself may close one that waits for another
      // request when it reads its configuration again.
      // A pause after each leaves the processor to the server that starts.
      const ask = async (path: string, sending: Sending = {}) => {
        while (going) {
          const { status } = await send(`${proxy.url}${path}`, {
            ...sending,
            headers: { cookie, 'content-type': 'application/json' },
          })
          statuses.set(status, (statuses.get(status) ?? 0) + 1)
          await wait(5)
        }
      }
      const cloudKey = 'a'.repeat(26)
      const asking = Promise.all([
        ask('/api/files'),
        ask('/api/health'),
        // A POST, which nginx does not send to a second server once the first one has it.
        ask('/api/files/abort-upload', { method: 'POST', body: JSON.stringify({ cloudKey }) }),
      ])
      for (const number of roundsOfCrashes(1) > 1 ? [0, 1] : [0]) {
        const stopping = servers[number] as ServerProcess
        stopping.kill('SIGTERM')
        // What a balancer does that asks /api/ready: it turns to the other server.
        while ((await fetch(`http://127.0.0.1:${ports[number]}/api/ready`)).ok) await wait(50)
        await proxy.passTo(ports.filter((_, other) => other !== number))
        expect(await stopping.ended).toBe(0)
        servers[number] = await start(number)
        await proxy.passTo(ports)
      }
      going = false
      await asking
      expect([...statuses.keys()].sort()).toEqual([200, 404])
    })
  })
})
