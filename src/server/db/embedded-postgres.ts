import type { ChildProcess } from 'node:child_process'
import { open, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import type { Logger } from 'pino'
import { StartupError } from '../errors.ts'
import { isTransient } from './db-errors.ts'
import {
  prepareCluster,
  prepareSocketFolder,
  removeStaleSocketLock,
  socketFolderOf,
  stopLeftoverPostgres,
} from './postgres-folder.ts'
import { findPostgres, type PostgresPrograms } from './postgres-programs.ts'

const settings = {
  // Postgres listens only on a socket in a private folder.
  listen_addresses: '',
  unix_socket_permissions: '0700',
  // This database has no replicas.
  wal_level: 'minimal',
  max_wal_senders: '0',
  // Sized for a small machine. Large installations set DATABASE_URL.
  shared_buffers: '64MB',
  max_wal_size: '256MB',
  io_method: 'sync',
  max_parallel_workers_per_gather: '0',
  // The server logs failed statements. If Postgres logged them too, clients could fill the disk.
  log_min_messages: 'log',
  log_checkpoints: 'off',
}

/** The time limit for a start, including WAL replay after a crash. */
const startTimeoutMs = 60_000
const stopTimeoutMs = 30_000
/**
 * Without this limit, connecting to a hung Postgres would wait forever: it accepts connections but
 * never responds.
 */
const connectTimeoutMs = 5_000
const pollMs = 20
const maxStarts = 5
const restartDelayMs = 100
const maxLogBytes = 1024 * 1024
/** The socket folder's file descriptor in the Postgres process. */
const socketFolderFd = 3

export interface EmbeddedPostgres {
  connection: { host: string; port: number; user: string; database: string }
  /** Stops Postgres and waits up to 30 seconds for its exit. Idempotent. */
  stop(): Promise<void>
  /** Signals Postgres to stop, without waiting. */
  abandon(): void
  /** Sets the listener that is called once if Postgres exits and can't be restarted. */
  onLost(listener: (error: unknown) => void): void
}

/** Returns the connection options of a data folder's embedded Postgres, running or not. */
export function embeddedConnection(dataDir: string): EmbeddedPostgres['connection'] {
  return { host: socketFolderOf(dataDir), port: 5432, user: 'postgres', database: 'postgres' }
}

/**
 * Starts Postgres in `dataDir/postgres` and restarts it if it crashes. First stops any Postgres
 * process left over from a killed server.
 * @param dataDir the absolute path of a folder that this process has locked (`lockDataDir`).
 * @param onLaunch called when the process has been launched, which takes a while to be ready.
 * @throws {StartupError} if Postgres can't run.
 */
export async function startEmbeddedPostgres(
  dataDir: string,
  log: Pick<Logger, 'warn'>,
  onLaunch = () => {},
): Promise<EmbeddedPostgres> {
  const cluster = join(dataDir, 'postgres')
  const programs = await findPostgres(cluster)
  await prepareCluster(cluster, dataDir, programs)
  await prepareSocketFolder(dataDir, programs.account)
  await stopLeftoverPostgres(cluster, stopTimeoutMs)
  const postgres = new Postgres({ dataDir, cluster, programs, log, onLaunch })
  await postgres.start()
  return postgres
}

interface PostgresOptions {
  dataDir: string
  cluster: string
  programs: PostgresPrograms
  log: Pick<Logger, 'warn'>
  onLaunch(): void
}

class Postgres implements EmbeddedPostgres {
  readonly connection: EmbeddedPostgres['connection']
  readonly #options: PostgresOptions
  readonly #logFile: string
  #process: ChildProcess | null = null
  #isStopping = false
  #lostListener: (error: unknown) => void = () => {}

  constructor(options: PostgresOptions) {
    this.#options = options
    this.connection = embeddedConnection(options.dataDir)
    this.#logFile = join(options.dataDir, 'postgres.log')
    // Stops Postgres when this process exits for any reason other than SIGKILL.
    process.once('exit', this.abandon)
  }

  async start(): Promise<void> {
    try {
      const deadline = AbortSignal.timeout(startTimeoutMs)
      for (let attempt = 1; ; attempt += 1) {
        await removeStaleSocketLock(this.connection.host, this.#options.cluster)
        const postgres = await this.#launch()
        this.#options.onLaunch()
        if (await this.#isReady(postgres, deadline)) {
          postgres.once('exit', () => void this.#restart())
          if (!isRunning(postgres)) void this.#restart()
          return
        }
        if (this.#isStopping || attempt === maxStarts) throw await this.#startError()
        // A killed Postgres doesn't release its shared memory immediately.
        await wait(attempt * restartDelayMs)
      }
    } catch (error) {
      await this.stop()
      throw error
    }
  }

  readonly stop = async (): Promise<void> => {
    this.abandon()
    process.off('exit', this.abandon)
    const deadline = AbortSignal.timeout(stopTimeoutMs)
    while (isRunning(this.#process)) {
      if (deadline.aborted) {
        this.#options.log.warn('The embedded Postgres is still stopping')
        return
      }
      await wait(pollMs)
    }
  }

  readonly abandon = (): void => {
    this.#isStopping = true
    // Fast shutdown: ends the sessions and leaves no WAL to replay.
    if (isRunning(this.#process)) this.#process?.kill('SIGINT')
  }

  onLost(listener: (error: unknown) => void): void {
    this.#lostListener = listener
  }

  async #restart(): Promise<void> {
    if (this.#isStopping) return
    this.#options.log.warn('The embedded Postgres ended; restarting it')
    await this.start().catch((error: unknown) => this.#lostListener(error))
  }

  async #launch(): Promise<ChildProcess> {
    const { cluster, programs } = this.#options
    const output = await openLog(this.#logFile)
    const socketFolder = await open(this.connection.host)
    try {
      const options = {
        ...settings,
        unix_socket_directories: programs.pathOf(socketFolderFd, this.connection.host),
      }
      const args = Object.entries(options).flatMap(([name, value]) => ['-c', `${name}=${value}`])
      const stdio = ['ignore', output.fd, output.fd, socketFolder.fd] as const
      const postgres = programs.start('postgres', cluster, args, [...stdio])
      // Set before the first await, so that the exit listener finds the process.
      this.#process = postgres
      postgres.on('error', () => {})
      postgres.unref()
      if (this.#isStopping) this.abandon()
      return postgres
    } finally {
      void Promise.all([output.close(), socketFolder.close()])
    }
  }

  /** Waits until Postgres accepts connections. Returns false if it exits first. */
  async #isReady(postgres: ChildProcess, deadline: AbortSignal): Promise<boolean> {
    while (isRunning(postgres)) {
      await wait(pollMs)
      if (await this.#canConnect()) return true
      if (deadline.aborted) {
        throw new StartupError(
          `The embedded Postgres in ${this.#options.cluster} did not come up in ${startTimeoutMs / 1000} s.`,
        )
      }
    }
    return false
  }

  async #canConnect(): Promise<boolean> {
    const client = new pg.Client({
      ...this.connection,
      ssl: false,
      connectionTimeoutMillis: connectTimeoutMs,
    })
    // Without a listener, an error event would end the process.
    client.on('error', () => {})
    try {
      await client.connect()
      return true
    } catch (error) {
      if (isTransient(error)) return false
      throw error
    } finally {
      await client.end().catch(() => {})
    }
  }

  async #startError(): Promise<StartupError> {
    const reason = await lastLines(this.#logFile)
    return new StartupError(
      `The embedded Postgres did not start: ${reason}\nIts log: ${this.#logFile}`,
    )
  }
}

function isRunning(process: ChildProcess | null): boolean {
  return process?.pid !== undefined && process.exitCode === null && process.signalCode === null
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
