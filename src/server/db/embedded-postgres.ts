import type { ChildProcess } from 'node:child_process'
import { open, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import type { Logger } from 'pino'
import { codeOf, StartFault } from '../start-fault.ts'
import {
  findPostmaster,
  prepareCluster,
  prepareSocketFolder,
  removeInitdbLeftovers,
  removeStaleSocketLock,
} from './postgres-folder.ts'
import { findPostgres, type PostgresPrograms } from './postgres-programs.ts'

/** Whoever holds this session-level lock owns the folder; it ends with its process. */
const ownerLock = 'mayfly: owner of this folder'

const settings = {
  // The socket's folder is private to the server, and there is no other way in.
  listen_addresses: '',
  unix_socket_permissions: '0700',
  // Nobody replicates from here.
  wal_level: 'minimal',
  max_wal_senders: '0',
  // A small machine's share; a large installation sets DATABASE_URL.
  shared_buffers: '64MB',
  max_wal_size: '256MB',
  io_method: 'sync',
  max_parallel_workers_per_gather: '0',
  // A refused statement is told to its caller and need not fill the disk.
  log_min_messages: 'log',
  log_checkpoints: 'off',
}

/** How long a Postgres may take to come up, replaying after a crash included. */
const startMillis = 60_000
const stopMillis = 30_000
/** How long the lock of a server that has just been killed may linger. */
const lingerMillis = 2_000
const pollMillis = 20
const maxStarts = 5
const restartMillis = 100
const maxLogBytes = 1024 * 1024

export interface EmbeddedPostgres {
  connection: { host: string; port: number; user: string; database: string }
  /** Stops Postgres and waits until it is gone; twice is a success. */
  stop(): Promise<void>
  /** Tells Postgres to stop and does not wait. */
  abandon(): void
  /** Called once if the folder is lost for good: Postgres ended and cannot be brought back. */
  onLost(listener: (error: unknown) => void): void
}

/**
 * Starts the Postgres under `dataDir/postgres`, or takes over the one that a killed server left
 * running. While this process lives nobody else gets the folder; a connection that holds a lock
 * in the database itself sees to that, so no lock outlives a crash.
 * @param dataDir Absolute, existing.
 * @throws {StartFault} when another living server owns the folder, or Postgres cannot run.
 */
export async function startEmbeddedPostgres(
  dataDir: string,
  log: Pick<Logger, 'info' | 'warn'>,
): Promise<EmbeddedPostgres> {
  const cluster = join(dataDir, 'postgres')
  const programs = await findPostgres(dataDir, cluster)
  await prepareCluster(cluster, dataDir, programs)
  const host = await prepareSocketFolder(dataDir, programs.account)
  const connection = { host, port: 5432, user: 'postgres', database: 'postgres' }
  const folder = { dataDir, cluster, connection, programs, log }

  let lost = (_error: unknown) => {}
  let stopping: Promise<void> | null = null
  let owner = await hold()
  await removeInitdbLeftovers(dataDir)

  async function hold(): Promise<Owner> {
    const next = await own(folder)
    next.client.once('end', () => {
      if (!stopping) void holdAgain()
    })
    return next
  }

  // When one session crashes, Postgres cuts all of them, and the lock goes with ours.
  async function holdAgain(): Promise<void> {
    log.warn('The connection that owns the embedded Postgres ended; taking it over again')
    try {
      owner = await hold()
    } catch (error) {
      lost(error)
    }
  }

  async function stopAndLeave(): Promise<void> {
    await stopPostmaster(cluster, log)
    await leave(owner.client)
  }

  return {
    connection,
    stop() {
      stopping ??= stopAndLeave()
      return stopping
    },
    abandon() {
      stopping ??= Promise.resolve()
      signalStop(owner.pid)
    },
    onLost(listener) {
      lost = listener
    },
  }
}

interface Folder {
  dataDir: string
  cluster: string
  connection: EmbeddedPostgres['connection']
  programs: PostgresPrograms
  log: Pick<Logger, 'info' | 'warn'>
}

interface Owner {
  /** Holds the lock. */
  client: pg.Client
  /** The postmaster's. */
  pid: number
}

/** Connects to the folder's Postgres, starting it where nobody has, and takes the owner's lock. */
async function own(folder: Folder): Promise<Owner> {
  const deadline = AbortSignal.timeout(startMillis)
  let linger: AbortSignal | null = null
  let started: Started | null = null
  let starts = 0
  for (;;) {
    const client = await connect(folder.connection)
    if (client && (await takeLock(client))) {
      const pid = await findPostmaster(folder.cluster)
      const current = started || (await runsOurBinaries(client, folder.programs))
      if (pid !== null && current) return { client, pid }
      await stopPostmaster(folder.cluster, folder.log)
      await leave(client)
    } else if (client) {
      await leave(client)
      linger ??= AbortSignal.timeout(lingerMillis)
      if (linger.aborted) throw inUse(folder.dataDir)
    } else if (!started?.running() && (await findPostmaster(folder.cluster)) === null) {
      if (started && starts >= maxStarts) throw await started.failure()
      // What a killed Postgres held is free a moment later.
      await wait(starts * restartMillis)
      await removeStaleSocketLock(folder.connection.host, folder.cluster)
      started = await launch(folder)
      starts += 1
    }
    if (deadline.aborted) throw await tooSlow(folder.cluster)
    await wait(pollMillis)
  }
}

/** @returns null while nobody listens, or Postgres is starting up or shutting down. */
async function connect(connection: EmbeddedPostgres['connection']): Promise<pg.Client | null> {
  const client = new pg.Client({ ...connection, ssl: false, keepAlive: false })
  // Its end is what matters, and 'end' tells it; an error without a listener ends the process.
  client.on('error', () => {})
  try {
    await client.connect()
    return client
  } catch (error) {
    await leave(client)
    const passing = ['ENOENT', 'ECONNREFUSED', 'ECONNRESET', 'EPIPE', '57P03']
    if (passing.includes(codeOf(error) ?? '')) return null
    if (error instanceof Error && /terminated unexpectedly/.test(error.message)) return null
    throw error
  }
}

/** Ends a connection that may have been cut already. */
async function leave(client: pg.Client): Promise<void> {
  await client.end().catch(() => {})
}

async function takeLock(client: pg.Client): Promise<boolean> {
  try {
    const answer = await client.query<{ taken: boolean }>(
      'select pg_try_advisory_lock(hashtextextended($1, 0)) as taken',
      [ownerLock],
    )
    return answer.rows[0]?.taken === true
  } catch {
    // Postgres went away between the two: the next round sees what became of it.
    return false
  }
}

/** A Postgres left over from before an update must not go on beside the new files. */
async function runsOurBinaries(client: pg.Client, programs: PostgresPrograms): Promise<boolean> {
  const answer = await client.query<{ server_version: string }>('show server_version')
  return answer.rows[0]?.server_version === programs.version
}

interface Started {
  running(): boolean
  /** Why it ended, from the end of its log. */
  failure(): Promise<StartFault>
}

async function launch({ dataDir, cluster, connection, programs }: Folder): Promise<Started> {
  const logFile = join(dataDir, 'postgres.log')
  const output = await openLog(logFile)
  let child: ChildProcess
  let error: Error | null = null
  try {
    const options = { ...settings, unix_socket_directories: connection.host }
    const args = Object.entries(options).flatMap(([name, value]) => ['-c', `${name}=${value}`])
    child = programs.start('postgres', ['-D', cluster, ...args], ['ignore', output.fd, output.fd])
    child.once('error', (reason) => {
      error = reason
    })
    // It has to survive a Ctrl-C in the terminal and must not keep this process alive.
    child.unref()
  } finally {
    await output.close()
  }
  return {
    running: () => error === null && child.exitCode === null && child.signalCode === null,
    async failure() {
      const why = error?.message ?? (await lastLines(logFile))
      return new StartFault(`The embedded Postgres did not start: ${why}\nIts log: ${logFile}`)
    },
  }
}

async function openLog(file: string) {
  const handle = await open(file, 'a', 0o600)
  const { size } = await handle.stat()
  if (size <= maxLogBytes) return handle
  await handle.close()
  await rename(file, `${file}.1`)
  return open(file, 'a', 0o600)
}

async function lastLines(file: string): Promise<string> {
  const handle = await open(file)
  try {
    const { size } = await handle.stat()
    const length = Math.min(size, 1000)
    const { buffer } = await handle.read(Buffer.alloc(length), 0, length, size - length)
    return buffer.toString().trim().split('\n').slice(-3).join('\n')
  } finally {
    await handle.close()
  }
}

/** A fast shutdown: sessions are cut, everything is written, nothing needs replaying. */
function signalStop(pid: number): void {
  try {
    process.kill(pid, 'SIGINT')
  } catch (error) {
    if (codeOf(error) !== 'ESRCH') throw error
  }
}

async function stopPostmaster(cluster: string, log: Pick<Logger, 'warn'>): Promise<void> {
  const deadline = AbortSignal.timeout(stopMillis)
  const pid = await findPostmaster(cluster)
  if (pid === null) return
  signalStop(pid)
  while ((await findPostmaster(cluster)) === pid) {
    if (deadline.aborted) {
      log.warn({ pid }, 'The embedded Postgres is still stopping; the next start takes it over')
      return
    }
    await wait(pollMillis)
  }
}

function inUse(dataDir: string): StartFault {
  return new StartFault(
    `Another server is running on ${dataDir}. Stop it first, or give this one a DATA_DIR of its own.`,
  )
}

async function tooSlow(cluster: string): Promise<StartFault> {
  const pid = await findPostmaster(cluster)
  return new StartFault(
    pid === null
      ? `The embedded Postgres in ${cluster} did not come up in ${startMillis / 1000} s.`
      : `Postgres (pid ${pid}) holds ${cluster} and cannot be reached. Wait for it or stop it ` +
          '(kill -INT), then start again.',
  )
}
