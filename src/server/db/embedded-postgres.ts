import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import type { Logger } from 'pino'
import { codeOf, StartupError } from '../errors.ts'
import { isTransient } from './db-errors.ts'
import { type Launched, launchPostgres, type PostgresPlace } from './launch-postgres.ts'
import {
  findPostmaster,
  prepareCluster,
  prepareSocketFolder,
  removeInitdbLeftovers,
  removeStaleSocketLock,
  socketFolderOf,
} from './postgres-folder.ts'
import { findPostgres } from './postgres-programs.ts'

/**
 * The name of an advisory lock in the database. The process whose connection holds it owns the data
 * folder. Postgres frees the lock when that connection ends, so a killed process keeps no lock.
 */
const ownerLock = 'mayfly: owner of this folder'

/** How long Postgres may take to start. After a crash it also replays its log. */
const startMs = 60_000
const stopMs = 30_000
/**
 * How long one try to connect may take. A Postgres that hangs accepts connections and never
 * answers.
 */
const connectMs = 5_000
/** How long to wait for `ownerLock`, because a server that was just killed may still have it. */
const lingerMs = 2_000
const pollMs = 20
const maxStarts = 5
const restartMs = 100

export interface EmbeddedPostgres {
  connection: { host: string; port: number; user: string; database: string }
  /**
   * Stops Postgres and waits until it has ended, 30 seconds at most. A second call succeeds too.
   */
  stop(): Promise<void>
  /** Tells Postgres to stop, without waiting. */
  abandon(): void
  /** Sets the listener that is called once when Postgres has ended and cannot be started again. */
  onLost(listener: (error: unknown) => void): void
}

/** Returns how to connect to the embedded Postgres of a data folder, whether or not it runs. */
export function embeddedConnection(dataDir: string): EmbeddedPostgres['connection'] {
  return { host: socketFolderOf(dataDir), port: 5432, user: 'postgres', database: 'postgres' }
}

/**
 * Starts the Postgres under `dataDir/postgres`, or takes over the one that a killed server left
 * running. No other server can use the folder while this process lives, because this process holds
 * a lock in the database. The lock cannot outlive a crash of this process.
 * @param dataDir an absolute path of an existing folder.
 * @throws {StartupError} when another living server owns the folder, or Postgres cannot run.
 */
export async function startEmbeddedPostgres(
  dataDir: string,
  log: Pick<Logger, 'info' | 'warn'>,
): Promise<EmbeddedPostgres> {
  const cluster = join(dataDir, 'postgres')
  const programs = await findPostgres(cluster)
  await prepareCluster(cluster, dataDir, programs)
  await prepareSocketFolder(dataDir, programs.account)
  const connection = embeddedConnection(dataDir)
  const folder = { dataDir, cluster, connection, programs, log }

  let lost = (_error: unknown) => {}
  let stopping: Promise<void> | null = null

  const hold = async (): Promise<Owner> => {
    const next = await own(folder)
    void next.ended.then(() => {
      if (!stopping) void holdAgain()
    })
    return next
  }

  // When one session crashes, Postgres ends all sessions. The lock ends with our session, so this
  // function takes it again.
  const holdAgain = async (): Promise<void> => {
    log.warn('The connection that owns the embedded Postgres ended; taking it over again')
    try {
      owner = await hold()
    } catch (error) {
      lost(error)
    }
  }

  const stopAndLeave = async (): Promise<void> => {
    await stopPostmaster(cluster, log)
    await leave(owner.client)
    process.off('exit', abandon)
  }

  const stop = (): Promise<void> => {
    stopping ??= stopAndLeave()
    return stopping
  }

  const abandon = (): void => {
    stopping ??= Promise.resolve()
    signalStop(owner.pid)
  }

  let owner = await hold()
  // Postgres ends with this process, unless the process is killed by SIGKILL. Then the next start
  // takes Postgres over.
  process.once('exit', abandon)
  try {
    await removeInitdbLeftovers(dataDir)
  } catch (error) {
    await stop()
    throw error
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

interface Folder extends PostgresPlace {
  log: Pick<Logger, 'info' | 'warn'>
}

interface Connected {
  client: pg.Client
  /** Resolves when the connection has ended, even if that was before anyone listened. */
  ended: Promise<void>
}

/** A connection to Postgres that holds the lock on the folder. */
interface Owner extends Connected {
  /** The process id of the main process of Postgres. */
  pid: number
}

/**
 * Connects to the folder's Postgres and takes the lock on the folder. Starts Postgres where none
 * runs. If this fails or this process exits meanwhile, the started Postgres is stopped, unless
 * another server has taken the lock.
 */
async function own(folder: Folder): Promise<Owner> {
  const launched: Launched[] = []
  const abandon = () => launched.at(-1)?.abandon()
  process.once('exit', abandon)
  try {
    return await connectAndLock(folder, launched)
  } catch (error) {
    // `FolderInUse` means that another server owns this Postgres now. Then we must not stop it,
    // even if we started it.
    if (!(error instanceof FolderInUse)) await launched.at(-1)?.stop()
    throw error
  } finally {
    process.off('exit', abandon)
  }
}

/**
 * Connects to Postgres and takes the lock on the folder. Starts Postgres where none runs.
 * @param launched every Postgres that is started here is added to this list, so that the caller can
 * stop it.
 */
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
      // A killed Postgres frees its resources a moment later. So each further start waits longer.
      await wait(launched.length * restartMs)
      await removeStaleSocketLock(folder.connection.host, folder.cluster)
      launched.push(await launchPostgres(folder))
    }
    if (deadline.aborted) throw await tooSlow(folder.cluster)
    await wait(pollMs)
  }
}

/**
 * Connects to Postgres.
 * @returns null while Postgres does not listen or answer, or is starting up or shutting down.
 */
async function connect(connection: EmbeddedPostgres['connection']): Promise<Connected | null> {
  const client = new pg.Client({
    ...connection,
    ssl: false,
    keepAlive: false,
    connectionTimeoutMillis: connectMs,
  })
  // An error without a listener would end the process. The event 'end' says that the connection is
  // gone.
  client.on('error', () => {})
  const ended = new Promise<void>((resolve) => client.once('end', resolve))
  try {
    await client.connect()
    return { client, ended }
  } catch (error) {
    await leave(client)
    if (isTransient(error)) return null
    throw error
  }
}

/** Closes a connection, even one that is cut already. */
async function leave(client: pg.Client): Promise<void> {
  await client.end().catch(() => {})
}

/**
 * Takes the lock on the folder with this connection. Stops a Postgres that was left running if its
 * version is not the installed one, because it must not use the new program files.
 * @returns `refused` if another server has the lock, and `gone` if Postgres has ended or was
 * stopped. In both cases the connection is closed.
 */
async function claim(
  { cluster, log, programs }: Folder,
  connected: Connected,
  isFresh: boolean,
): Promise<Owner | 'refused' | 'gone'> {
  const asked = await askForLock(connected.client)
  if (asked?.taken) {
    const pid = await findPostmaster(cluster)
    const fits = asked.version === programs.version
    if (pid !== null && (isFresh || fits)) {
      return { ...connected, pid }
    }
    await stopPostmaster(cluster, log)
  }
  await leave(connected.client)
  return asked && !asked.taken ? 'refused' : 'gone'
}

/** What Postgres said when it was asked for the lock. */
interface Asked {
  taken: boolean
  version: string
}

/**
 * Asks for the lock on the folder.
 * @returns null when the connection ended before Postgres answered.
 */
async function askForLock(client: pg.Client): Promise<Asked | null> {
  try {
    const { rows } = await client.query<Asked>(
      `select pg_try_advisory_lock(hashtextextended($1, 0)) as taken,
        current_setting('server_version') as version`,
      [ownerLock],
    )
    return rows[0] ?? null
  } catch {
    return null
  }
}

/**
 * Asks Postgres for a fast shutdown: it ends its sessions and writes all data to disk, so that the
 * next start has nothing to replay.
 */
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

class FolderInUse extends StartupError {
  constructor(dataDir: string) {
    super(
      `Another server is running on ${dataDir}. Stop it first, or give this one a DATA_DIR of its own.`,
    )
  }
}

async function tooSlow(cluster: string): Promise<StartupError> {
  const pid = await findPostmaster(cluster)
  return new StartupError(
    pid === null
      ? `The embedded Postgres in ${cluster} did not come up in ${startMs / 1000} s.`
      : `Postgres (pid ${pid}) holds ${cluster} and cannot be reached. Wait for it or stop it ` +
          '(kill -INT), then start again.',
  )
}
