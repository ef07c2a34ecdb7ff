import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createBucket } from '../support/bucket.ts'
import { type ChaosProxy, startChaosProxy } from '../support/chaos-proxy.ts'
import { findFreePort } from '../support/free-port.ts'
import { type PostgresProxy, startPostgresProxy } from '../support/postgres-proxy.ts'
import type { TestDatabase, TestPostgres } from '../support/postgres-server.ts'
import type { S3Server } from '../support/radosgw.ts'
import { mountSmallDisk, type SmallDisk } from '../support/small-disk.ts'
import { startSmtpServer, type TestSmtpServer } from '../support/smtp-server.ts'
import type { ServerOptions } from './commands.ts'
import { type DirectDb, openDirectDb } from './direct-db.ts'
import { createFaultServer, type FaultServer } from './fault-server.ts'
import { type SetupName, setups } from './setups.ts'
import { createBucketReader, createDiskReader, type StorageReader } from './storage-reader.ts'

/** The size of the small disk. All users together store about 200 MiB in 200 rounds. */
const smallDiskBytes = 384 * 1024 ** 2
/**
 * How far ahead of real time the server's clock starts. This way, the bucket still accepts the
 * server's presigned URLs after a fault has set the clock back by an hour.
 */
const clockLeadMs = 24 * 60 * 60_000

/** External services that a scenario uses. */
export interface Backends {
  database: TestDatabase
  /** Null if other tests use the same Postgres server, because then faults must not restart it. */
  postgres: TestPostgres | null
  /** Needed only for the setup `bucket`. */
  s3Server: S3Server | null
}

/**
 * Everything that faults can affect. `directDb` and `storageReader` access the database and storage
 * without going through the server.
 */
export interface Environment {
  server: FaultServer
  /** The proxy between the server and Postgres. */
  network: PostgresProxy
  /** A connection to Postgres that bypasses `network`. */
  directDb: DirectDb
  /** Null if faults must not restart Postgres. */
  postgres: TestPostgres | null
  mailServer: TestSmtpServer
  /** The proxy between the server and the bucket. Null if there is no bucket. */
  bucketNetwork: ChaosProxy | null
  /** The file system that contains all stored files. Null if faults can't fill it. */
  smallDisk: SmallDisk | null
  storageReader: StorageReader
  close(): Promise<void>
}

/**
 * Starts everything a scenario needs. Closing the environment also drops the database.
 * @param isLong true for a run of many rounds, in which the server is killed often.
 * @param limits the server's timeouts for Postgres.
 */
export async function startEnvironment(
  { database, postgres, s3Server }: Backends,
  name: SetupName,
  { isLong, limits }: { isLong: boolean; limits: ServerOptions['limits'] },
): Promise<Environment> {
  const { store } = setups[name]
  const cleanups: (() => Promise<unknown>)[] = [() => database.drop()]
  const close = async () => {
    const results: PromiseSettledResult<unknown>[] = []
    for (const cleanUp of cleanups.toReversed())
      results.push(...(await Promise.allSettled([cleanUp()])))
    for (const result of results) if (result.status === 'rejected') throw result.reason
  }
  try {
    const network = await startPostgresProxy(database.url)
    cleanups.push(() => network.close())
    const directDb = openDirectDb(database.url)
    cleanups.push(() => directDb.end())
    const mailServer = await startSmtpServer()
    cleanups.push(() => mailServer.close())
    const smallDisk = store === 'small disk' ? await mountSmallDisk(smallDiskBytes) : null
    if (smallDisk) cleanups.push(() => smallDisk.close())
    const dataDir = smallDisk
      ? join(smallDisk.folder, 'data')
      : await mkdtemp(join(tmpdir(), 'mayfly-faults-'))
    await mkdir(dataDir, { recursive: true })
    cleanups.push(() => rm(dataDir, { recursive: true, force: true }))
    const bucket = store === 'bucket' ? await createBucketBehindProxy(s3Server) : null
    if (bucket) cleanups.push(() => bucket.network.close())
    const options = {
      databaseUrl: network.url,
      dataDir,
      port: await findFreePort(),
      now: Date.now() + clockLeadMs,
      env: { SMTP_URL: mailServer.url, REQUIRE_EMAIL_VERIFICATION: 'off', ...bucket?.env },
      limits,
    }
    const server = createFaultServer(options, isLong)
    cleanups.push(() => server.close())
    await server.start()
    return {
      server,
      network,
      directDb,
      postgres,
      mailServer,
      bucketNetwork: bucket?.network ?? null,
      smallDisk,
      storageReader: bucket?.stored ?? createDiskReader(dataDir),
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

async function createBucketBehindProxy(s3Server: S3Server | null) {
  if (s3Server === null) throw new Error('The setup `bucket` needs an S3 server.')
  const bucket = await createBucket(s3Server)
  const network = await startChaosProxy()
  network.forwardTo(Number(new URL(s3Server.endpoint).port))
  const env = { ...bucket.env, S3_ENDPOINT: network.url }
  const storageReader = createBucketReader(bucket)
  return { network, env, stored: storageReader }
}
