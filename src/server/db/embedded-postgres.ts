import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import type { Logger } from 'pino'
import { codeOf, StartFault } from '../start-fault.ts'
import { passesByItself } from './away.ts'
import { type Launched, launchPostgres, type Place } from './launch-postgres.ts'
import {
  findPostmaster,
  prepareCluster,
  prepareSocketFolder,
  removeInitdbLeftovers,
  removeStaleSocketLock,
} from './postgres-folder.ts'
import { findPostgres } from './postgres-programs.ts'

/** Whoever holds this session-level lock owns the folder; it ends with its process. */
const ownerLock = 'mayfly: owner of this folder'

/** How long a Postgres may take to come up, replaying after a crash included. */
const startMs = 60_000
const stopMs = 30_000
/** How long one try to connect may take: a Postgres that stands still takes connections and says nothing. */
const connectMs = 5_000
/** How long the lock of a server that has just been killed may linger. */
const lingerMs = 2_000
const pollMs = 20
const maxStarts = 5
const restartMs = 100

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
  const programs = await findPostgres(cluster)
  await prepareCluster(cluster, dataDir, programs)
  const host = await prepareSocketFolder(dataDir, programs.account)
  const connection = { host, port: 5432, user: 'postgres', database: 'postgres' }
  const folder = { dataDir, cluster, connection, programs, log }

  let lost = (_error: unknown) => {}
  let stopping: Promise<void> | null = null
  let owner = await hold()
  // However this process ends, its Postgres ends with it; a SIGKILL alone leaves it to the next start.
  process.once('exit', abandon)
  try {
    await removeInitdbLeftovers(dataDir)
  } catch (error) {
    await stop()
    throw error
  }

  async function hold(): Promise<Owner> {
    const next = await own(folder)
    void next.ended.then(() => {
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
    process.off('exit', abandon)
  }

  function stop(): Promise<void> {
    stopping ??= stopAndLeave()
    return stopping
  }

  function abandon(): void {
    stopping ??= Promise.resolve()
    signalStop(owner.pid)
  }

  return {
    connection,
    stop,
    abandon,
    onLost(listener) {
      lost = listener
    },
  }
}

interface Folder extends Place {
  log: Pick<Logger, 'info' | 'warn'>
}

interface Connected {
  client: pg.Client
  /** Resolves when the connection has ended, however soon after its start that is. */
  ended: Promise<void>
}

/** The connection holds the lock. */
interface Owner extends Connected {
  /** The postmaster's. */
  pid: number
}

/**
 * Connects to the folder's Postgres, starting it where nobody has, and takes the owner's lock. What it
 * started is stopped again where that fails, or this process ends meanwhile.
 */
async function own(folder: Folder): Promise<Owner> {
  const launched: Launched[] = []
  const abandon = () => launched.at(-1)?.abandon()
  process.once('exit', abandon)
  try {
    return await connectAndLock(folder, launched)
  } catch (error) {
    // What another server owns by now is not ours to stop, whoever started it.
    if (!(error instanceof FolderInUse)) await launched.at(-1)?.stop()
    throw error
  } finally {
    process.off('exit', abandon)
  }
}

/** @param launched gets every Postgres that it starts. */
async function connectAndLock(folder: Folder, launched: Launched[]): Promise<Owner> {
  const deadline = AbortSignal.timeout(startMs)
  let linger: AbortSignal | null = null
  for (;;) {
    const last = launched.at(-1)
    const connected = await connect(folder.connection)
    if (connected) {
      const claimed = await claim(folder, connected, last !== undefined)
      if (typeof claimed === 'object') return claimed
      if (claimed === 'refused') linger ??= AbortSignal.timeout(lingerMs)
      if (claimed === 'refused' && linger?.aborted) throw new FolderInUse(folder.dataDir)
    } else if (!last?.running() && (await findPostmaster(folder.cluster)) === null) {
      if (last && launched.length >= maxStarts) throw await last.failure()
      // What a killed Postgres held is free a moment later.
      await wait(launched.length * restartMs)
      await removeStaleSocketLock(folder.connection.host, folder.cluster)
      launched.push(await launchPostgres(folder))
    }
    if (deadline.aborted) throw await tooSlow(folder.cluster)
    await wait(pollMs)
  }
}

/** @returns null while nobody listens or answers, or Postgres is starting up or shutting down. */
async function connect(connection: EmbeddedPostgres['connection']): Promise<Connected | null> {
  const client = new pg.Client({
    ...connection,
    ssl: false,
    keepAlive: false,
    connectionTimeoutMillis: connectMs,
  })
  // Its end is what matters, and 'end' tells it; an error without a listener ends the process.
  client.on('error', () => {})
  const ended = new Promise<void>((resolve) => client.once('end', resolve))
  try {
    await client.connect()
    return { client, ended }
  } catch (error) {
    await leave(client)
    if (passesByItself(error)) return null
    throw error
  }
}

/** Ends a connection that may have been cut already. */
async function leave(client: pg.Client): Promise<void> {
  await client.end().catch(() => {})
}

/**
 * Takes the folder by this connection; else ends it, because another server has the folder or
 * because this Postgres is gone. One left over from before an update is stopped: it must not go on
 * beside the new files.
 */
async function claim(
  { cluster, log, programs }: Folder,
  connected: Connected,
  isFresh: boolean,
): Promise<Owner | 'refused' | 'gone'> {
  const asked = await askForLock(connected.client)
  if (asked?.taken) {
    const pid = await findPostmaster(cluster)
    if (pid !== null && (isFresh || asked.version === programs.version)) {
      return { ...connected, pid }
    }
    await stopPostmaster(cluster, log)
  }
  await leave(connected.client)
  return asked && !asked.taken ? 'refused' : 'gone'
}

/** @returns null when Postgres went away before it answered. */
async function askForLock(client: pg.Client): Promise<{ taken: boolean; version: string } | null> {
  try {
    const { rows } = await client.query<{ taken: boolean; version: string }>(
      `select pg_try_advisory_lock(hashtextextended($1, 0)) as taken,
        current_setting('server_version') as version`,
      [ownerLock],
    )
    return rows[0] ?? null
  } catch {
    return null
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
  const deadline = AbortSignal.timeout(stopMs)
  const pid = await findPostmaster(cluster)
  if (pid === null) return
  signalStop(pid)
  while ((await findPostmaster(cluster)) === pid) {
    if (deadline.aborted) {
      log.warn({ pid }, 'The embedded Postgres is still stopping; the next start takes it over')
      return
    }
    await wait(pollMs)
  }
}

class FolderInUse extends StartFault {
  constructor(dataDir: string) {
    super(
      `Another server is running on ${dataDir}. Stop it first, or give this one a DATA_DIR of its own.`,
    )
  }
}

async function tooSlow(cluster: string): Promise<StartFault> {
  const pid = await findPostmaster(cluster)
  return new StartFault(
    pid === null
      ? `The embedded Postgres in ${cluster} did not come up in ${startMs / 1000} s.`
      : `Postgres (pid ${pid}) holds ${cluster} and cannot be reached. Wait for it or stop it ` +
          '(kill -INT), then start again.',
  )
}
