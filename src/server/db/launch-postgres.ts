import type { ChildProcess } from 'node:child_process'
import { open, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { StartupError } from '../errors.ts'
import type { PostgresPrograms } from './postgres-programs.ts'

const settings = {
  // Postgres listens only on a socket in a folder that is private to the server.
  listen_addresses: '',
  unix_socket_permissions: '0700',
  // This database has no replicas.
  wal_level: 'minimal',
  max_wal_senders: '0',
  // These values suit a small machine. A large installation sets DATABASE_URL to another Postgres.
  shared_buffers: '64MB',
  max_wal_size: '256MB',
  io_method: 'sync',
  max_parallel_workers_per_gather: '0',
  // Postgres reports a failed statement to its caller. It does not log the statement too, because
  // clients could then fill the disk with such lines.
  log_min_messages: 'log',
  log_checkpoints: 'off',
}

const stopMs = 30_000
const pollMs = 20
const maxLogBytes = 1024 * 1024
/**
 * The file descriptor under which Postgres gets the folder of its socket: the first one after the
 * standard streams.
 */
const socketsFd = 3

/** The folders of an embedded Postgres, how to connect to it, and its programs. */
export interface PostgresPlace {
  dataDir: string
  cluster: string
  connection: { host: string; port: number; user: string; database: string }
  programs: PostgresPrograms
}

export interface Launched {
  running(): boolean
  /** Tells Postgres to stop, without waiting. */
  abandon(): void
  /** Stops Postgres and waits until it has ended, 30 seconds at most. */
  stop(): Promise<void>
  /** Returns why Postgres could not be started, or why it ended, from the end of its log. */
  failure(): Promise<StartupError>
}

/** Starts the Postgres of a folder. Resolves before Postgres accepts connections. */
export async function launchPostgres({
  dataDir,
  cluster,
  connection,
  programs,
}: PostgresPlace): Promise<Launched> {
  const logFile = join(dataDir, 'postgres.log')
  const output = await openLog(logFile)
  const sockets = await open(connection.host)
  let child: ChildProcess
  let error: Error | null = null
  try {
    const options = {
      ...settings,
      unix_socket_directories: programs.handedOver(socketsFd, connection.host),
    }
    const args = Object.entries(options).flatMap(([name, value]) => ['-c', `${name}=${value}`])
    child = programs.start('postgres', cluster, args, ['ignore', output.fd, output.fd, sockets.fd])
    child.once('error', (reason) => {
      error = reason
    })
    // Postgres must survive a Ctrl-C in the terminal and must not keep this process alive.
    child.unref()
  } finally {
    // Not awaited: the caller must get the child process at once, so that it can stop Postgres if
    // this process exits.
    void Promise.all([output.close(), sockets.close()])
  }
  const running = () => error === null && child.exitCode === null && child.signalCode === null
  // A fast shutdown: Postgres ends its sessions and writes all data to disk, so that the next start
  // has nothing to replay.
  const abandon = () => void (running() && child.kill('SIGINT'))
  return {
    running,
    abandon,
    async stop() {
      const deadline = AbortSignal.timeout(stopMs)
      abandon()
      while (running() && !deadline.aborted) await wait(pollMs)
    },
    async failure() {
      const why = error?.message ?? (await lastLines(logFile))
      return new StartupError(`The embedded Postgres did not start: ${why}\nIts log: ${logFile}`)
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
