import { execFileSync } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startEmbeddedPostgres } from '../src/server/db/embedded-postgres.ts'
import { bytesOnDisk } from './faults/stored-bytes.ts'
import { playCrashes, roundsOfCrashes } from './support/crash-play.ts'
import { prepareDataFolder } from './support/data-folder.ts'
import { expectInOrderDaysLater } from './support/days-later.ts'
import { eventually } from './support/eventually.ts'
import { freePort } from './support/free-port.ts'
import { urlOf } from './support/postgres-server.ts'
import { servingWorkers } from './support/scrape.ts'
import { type ServerProcess, startServerProcess, workerPids } from './support/server-process.ts'

let folder: string
let dataDir: string
let server: ServerProcess

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mayfly-worker-crashes-'))
  dataDir = join(folder, 'data')
  await prepareDataFolder(dataDir)
  const env = { WORKERS: '2', LOG_LEVEL: 'fatal' }
  server = await startServerProcess({ dataDir, port: await freePort(), env })
})
afterAll(async () => {
  server.kill('SIGTERM')
  await server.ended
  await rm(folder, { recursive: true, force: true })
})

test('workers on one disk lose nothing that they acknowledged while one after the other is killed', async () => {
  await playCrashes(server, roundsOfCrashes(2), async (_, draw) => {
    const pids = workerPids(server)
    const killed = pids[draw(pids.length)] as number
    process.kill(killed, 'SIGKILL')
    return async () => {
      // A worker that is still starting does not count. If the next round killed the other one,
      // nobody would serve. After a few such rounds, the players would have had no answer for too
      // long.
      await eventually(async () => expect(await servingWorkers(server)).toBe(2))
    }
  })
  expect(execFileSync('ps', ['-o', 'pid=', '-p', String(server.pid)]).toString()).not.toBe('')
})

test('days later the jobs remove what is over, and nothing else is left of the killed workers', async () => {
  server.kill('SIGTERM')
  expect(await server.ended).toBe(0)
  const postgres = await startEmbeddedPostgres(dataDir, { info() {}, warn() {} })
  const { host, database } = postgres.connection
  const databaseUrl = urlOf(host, database)
  await expectInOrderDaysLater({ databaseUrl, dataDir, stored: bytesOnDisk(dataDir) })
  await postgres.stop()
})
