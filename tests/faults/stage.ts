import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createBucket } from '../support/bucket.ts'
import { type ChaosProxy, startChaosProxy } from '../support/chaos-proxy.ts'
import { freePort } from '../support/free-port.ts'
import { type PostgresProxy, startPostgresProxy } from '../support/postgres-proxy.ts'
import type { TestDatabase, TestPostgres } from '../support/postgres-server.ts'
import type { S3Server } from '../support/radosgw.ts'
import { mountSmallDisk, type SmallDisk } from '../support/small-disk.ts'
import { startSmtpServer, type TestSmtpServer } from '../support/smtp-server.ts'
import { type FaultServer, faultServer } from './fault-server.ts'
import type { Served } from './orders.ts'
import { type SetupName, setups } from './setups.ts'
import { bytesInBucket, bytesOnDisk, type StoredBytes } from './stored-bytes.ts'
import { openWitness, type Witness } from './witness.ts'

/**
 * The size of the disk in setups with a small one. After 200 rounds all players have stored some
 * 200 MiB together. If they filled the disk, their uploads would rightly be refused.
 */
const smallDiskBytes = 384 * 1024 ** 2
/**
 * The server's clock starts this much later than the real one. A presigned URL then stays valid for
 * the bucket, which has the real time, also after the server's clock was set back by an hour.
 */
const aheadMs = 24 * 60 * 60_000

/** What a play needs from the outside. */
export interface Place {
  database: TestDatabase
  /** The Postgres of the database if only this play uses it, so that a fault may restart it. */
  postgres: TestPostgres | null
  /** Only the setup `bucket` needs it. */
  s3Server: S3Server | null
}

/**
 * What a fault can disturb. `witness` and `stored` show the database and the stored bytes without
 * the server.
 */
export interface Stage {
  server: FaultServer
  /** The network between the server and Postgres. */
  network: PostgresProxy
  /** Does not pass through `network`. */
  witness: Witness
  /** null if a fault must not restart Postgres. */
  postgres: TestPostgres | null
  mailServer: TestSmtpServer
  /** The network in front of the bucket; null if files are on a disk. */
  bucketNetwork: ChaosProxy | null
  /** The file system of all files; null if it cannot be filled. */
  smallDisk: SmallDisk | null
  stored: StoredBytes
  close(): Promise<void>
}

/**
 * Starts everything that users play with in this setup. Closing the stage drops the database.
 * @param isLong whether the play has so many rounds that the server will often be killed.
 * @param limits how long the server waits for Postgres.
 */
export async function setStage(
  { database, postgres, s3Server }: Place,
  name: SetupName,
  { isLong, limits }: { isLong: boolean; limits: Served['limits'] },
): Promise<Stage> {
  const { store } = setups[name]
  const closers: (() => Promise<unknown>)[] = [() => database.drop()]
  const close = async () => {
    const ends: PromiseSettledResult<unknown>[] = []
    for (const closer of closers.toReversed()) ends.push(...(await Promise.allSettled([closer()])))
    for (const end of ends) if (end.status === 'rejected') throw end.reason
  }
  try {
    const network = await startPostgresProxy(database.url)
    closers.push(() => network.close())
    const witness = openWitness(database.url)
    closers.push(() => witness.end())
    const mailServer = await startSmtpServer()
    closers.push(() => mailServer.close())
    const smallDisk = store === 'small disk' ? await mountSmallDisk(smallDiskBytes) : null
    if (smallDisk) closers.push(() => smallDisk.close())
    const dataDir = smallDisk
      ? join(smallDisk.folder, 'data')
      : await mkdtemp(join(tmpdir(), 'mayfly-faults-'))
    await mkdir(dataDir, { recursive: true })
    closers.push(() => rm(dataDir, { recursive: true, force: true }))
    const bucket = store === 'bucket' ? await bucketBehindProxy(s3Server) : null
    if (bucket) closers.push(() => bucket.network.close())
    const served = {
      databaseUrl: network.url,
      dataDir,
      port: await freePort(),
      now: Date.now() + aheadMs,
      env: { SMTP_URL: mailServer.url, REQUIRE_EMAIL_VERIFICATION: 'off', ...bucket?.env },
      limits,
    }
    const server = faultServer(served, isLong)
    closers.push(() => server.close())
    await server.start()
    return {
      server,
      network,
      witness,
      postgres,
      mailServer,
      bucketNetwork: bucket?.network ?? null,
      smallDisk,
      stored: bucket?.stored ?? bytesOnDisk(dataDir),
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

async function bucketBehindProxy(s3Server: S3Server | null) {
  if (s3Server === null) throw new Error('The setup `bucket` needs an S3 server.')
  const bucket = await createBucket(s3Server)
  const network = await startChaosProxy()
  network.forwardTo(Number(new URL(s3Server.endpoint).port))
  const env = { ...bucket.env, S3_ENDPOINT: network.url }
  const stored = bytesInBucket(bucket)
  return { network, env, stored }
}
