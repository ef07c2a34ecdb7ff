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
  stopLeftover,
} from './postgres-folder.ts'
import { findPostgres, type PostgresPrograms } from './postgres-programs.ts'

const settings = {
  // Postgres listens only on a socket in a private folder.
  listen_addresses: '',
  unix_socket_permissions: '0700',
  // This database has no replicas.
  wal_level: 'minimal',
  max_wal_senders: '0',
  // These values suit a small machine. A large installation sets DATABASE_URL.
  shared_buffers: '64MB',
  max_wal_size: '256MB',
  io_method: 'sync',
  max_parallel_workers_per_gather: '0',
  // The server reports failed statements. Logged here too, they would let clients fill the disk.
  log_min_messages: 'log',
  log_checkpoints: 'off',
}

/** After a crash, Postgres replays its log first. */
const startMs = 60_000
const stopMs = 30_000
/** A Postgres that hangs accepts connections and never answers. */
const connectMs = 5_000
const pollMs = 20
const maxStarts = 5
const restartMs = 100
const maxLogBytes = 1024 * 1024
/** The file descriptor under which Postgres gets the folder of its socket. */
const socketsFd = 3

export interface EmbeddedPostgres {
  connection: { host: string; port: number; user: string; database: string }
  /** Stops Postgres and waits until it has ended, 30 seconds at most. Can be called twice. */
  stop(): Promise<void>
  /** Tells Postgres to stop, without waiting. */
  abandon(): void
  /** Sets the listener that is called once if Postgres has ended and cannot be restarted. */
  onLost(listener: (error: unknown) => void): void
}

/** Returns how to connect to the embedded Postgres of a data folder, whether or not it runs. */
export function embeddedConnection(dataDir: string): EmbeddedPostgres['connection'] {
  return { host: socketFolderOf(dataDir), port: 5432, user: 'postgres', database: 'postgres' }
}

/**
 * Starts the Postgres under `dataDir/postgres`, and restarts it if it crashes. Stops one that a
 * killed server left running first.
 * @param dataDir an absolute path of a folder that this process has locked (`lockDataDir`).
 * @throws {StartupError} when Postgres cannot run.
 */
export async function startEmbeddedPostgres(
  dataDir: string,
  log: Pick<Logger, 'warn'>,
): Promise<EmbeddedPostgres> {
  const cluster = join(dataDir, 'postgres')
  const programs = await findPostgres(cluster)
  await prepareCluster(cluster, dataDir, programs)
  await prepareSocketFolder(dataDir, programs.account)
  await stopLeftover(cluster, stopMs)
  const postgres = new Postgres({ dataDir, cluster, programs, log })
  await postgres.start()
  return postgres
}

interface PostgresOptions {
  dataDir: string
  cluster: string
  programs: PostgresPrograms
  log: Pick<Logger, 'warn'>
}

class Postgres implements EmbeddedPostgres {
  readonly connection: EmbeddedPostgres['connection']
  readonly #options: PostgresOptions
  readonly #logFile: string
  #process: ChildProcess | null = null
  #isStopping = false
  #lost: (error: unknown) => void = () => {}

  constructor(options: PostgresOptions) {
    this.#options = options
    this.connection = embeddedConnection(options.dataDir)
    this.#logFile = join(options.dataDir, 'postgres.log')
    // Postgres ends with this process, unless that is killed by SIGKILL.
    process.once('exit', this.abandon)
  }

  /** Starts Postgres and waits until it accepts connections. */
  async start(): Promise<void> {
    try {
      const deadline = AbortSignal.timeout(startMs)
      for (let attempt = 1; ; attempt += 1) {
        await removeStaleSocketLock(this.connection.host, this.#options.cluster)
        const postgres = await this.#launch()
        if (await this.#isReady(postgres, deadline)) {
          postgres.once('exit', () => void this.#restart())
          if (!isRunning(postgres)) void this.#restart()
          return
        }
        if (this.#isStopping || attempt === maxStarts) throw await this.#startError()
        // A killed Postgres frees its shared memory a moment later.
        await wait(attempt * restartMs)
      }
    } catch (error) {
      await this.stop()
      throw error
    }
  }

  readonly stop = async (): Promise<void> => {
    this.abandon()
    process.off('exit', this.abandon)
    const deadline = AbortSignal.timeout(stopMs)
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
    // A fast shutdown: Postgres ends its sessions and leaves nothing to replay.
    if (isRunning(this.#process)) this.#process?.kill('SIGINT')
  }

  onLost(listener: (error: unknown) => void): void {
    this.#lost = listener
  }

  async #restart(): Promise<void> {
    if (this.#isStopping) return
    this.#options.log.warn('The embedded Postgres ended; restarting it')
    await this.start().catch((error: unknown) => this.#lost(error))
  }

  async #launch(): Promise<ChildProcess> {
    const { cluster, programs } = this.#options
    const output = await openLog(this.#logFile)
    const sockets = await open(this.connection.host)
    try {
      const options = {
        ...settings,
        unix_socket_directories: programs.pathOf(socketsFd, this.connection.host),
      }
      const args = Object.entries(options).flatMap(([name, value]) => ['-c', `${name}=${value}`])
      const stdio = ['ignore', output.fd, output.fd, sockets.fd] as const
      const postgres = programs.start('postgres', cluster, args, [...stdio])
      // The exit listener must find the process before anything is awaited.
      this.#process = postgres
      postgres.on('error', () => {})
      postgres.unref()
      if (this.#isStopping) this.abandon()
      return postgres
    } finally {
      void Promise.all([output.close(), sockets.close()])
    }
  }

  /** Waits until Postgres accepts connections. Returns false if it ends before. */
  async #isReady(postgres: ChildProcess, deadline: AbortSignal): Promise<boolean> {
    while (isRunning(postgres)) {
      if (await this.#connects()) return true
      if (deadline.aborted) {
        throw new StartupError(
          `The embedded Postgres in ${this.#options.cluster} did not come up in ${startMs / 1000} s.`,
        )
      }
      await wait(pollMs)
    }
    return false
  }

  async #connects(): Promise<boolean> {
    const client = new pg.Client({
      ...this.connection,
      ssl: false,
      connectionTimeoutMillis: connectMs,
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
