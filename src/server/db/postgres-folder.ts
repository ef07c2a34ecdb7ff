import { createHash } from 'node:crypto'
import { chmod, chown, lstat, mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as wait } from 'node:timers/promises'
import { codeOf, StartupError } from '../errors.ts'
import { type Account, type PostgresPrograms, run } from './postgres-programs.ts'

/**
 * The path of a Unix socket is limited to 103 bytes, and Postgres appends `/.s.PGSQL.5432` to the
 * folder's path.
 */
const maxSocketFolderBytes = 103 - '/.s.PGSQL.5432'.length

const sqliteBusy = 5

/**
 * Locks the data folder until the process ends or calls the returned function. Node has no file
 * locks, so this uses SQLite's. The file `lock` stays empty.
 * @throws {StartupError} if another process has locked the folder, or it can't be written to.
 */
export function lockDataDir(dataDir: string): () => void {
  const lock = new DatabaseSync(join(dataDir, 'lock'), { open: false })
  try {
    lock.open()
    // The journal is in memory, because writing a journal file would fail on a full disk.
    lock.exec('pragma journal_mode = memory; begin exclusive')
  } catch (cause) {
    if (lock.isOpen) lock.close()
    const { errcode } = cause as { errcode?: number }
    const message =
      errcode === sqliteBusy
        ? `Another server is running on ${dataDir}. Stop it first, or give this one a DATA_DIR of its own.`
        : `DATA_DIR ${dataDir} cannot be locked: ${String(cause)}`
    throw new StartupError(message, { cause })
  }
  return () => lock.close()
}

/**
 * Checks that root doesn't write to another user's data folder, because that user's server couldn't
 * read the files. Others can't write there anyway, unless it is a volume that they share.
 * @param folder the folder in it whose owner counts. By default, one that the server has created:
 * the data folder itself may be a volume.
 * @throws {StartupError} if it belongs to another user than root, who runs this process.
 */
export async function requireOwnDataDir(dataDir: string, folder = 'files'): Promise<void> {
  const stats = await stat(join(dataDir, folder)).catch(() => null)
  if (!stats || stats.uid === 0 || process.getuid?.() !== 0) return
  throw new StartupError(
    `DATA_DIR ${dataDir} belongs to another user. Run this as the user that runs the server.`,
  )
}

/**
 * Creates the Postgres cluster unless it exists. Runs `initdb` in a temporary folder, so an
 * interruption leaves no partial cluster.
 * @throws {StartupError} if Postgres can't create the cluster, or another version created it.
 */
export async function prepareCluster(
  cluster: string,
  dataDir: string,
  programs: PostgresPrograms,
): Promise<void> {
  const clusterMajor = await clusterVersion(cluster)
  if (clusterMajor === null) return initialize(cluster, dataDir, programs)
  const installedMajor = programs.version.split('.')[0]
  if (clusterMajor !== installedMajor) {
    throw new StartupError(
      `${cluster} was made by Postgres ${clusterMajor}, and this version brings Postgres ${installedMajor}. ` +
        'Start the version that made it, run mayfly backup (or npm run backup) there, and restore ' +
        'that backup with this version into a fresh DATA_DIR; or set DATABASE_URL to another Postgres.',
    )
  }
}

async function clusterVersion(cluster: string): Promise<string | null> {
  try {
    return (await readFile(join(cluster, 'PG_VERSION'), 'utf8')).trim()
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null
    throw error
  }
}

async function initialize(
  cluster: string,
  dataDir: string,
  programs: PostgresPrograms,
): Promise<void> {
  const tempFolder = join(dataDir, 'postgres-initdb')
  await rm(tempFolder, { recursive: true, force: true })
  await mkdir(tempFolder, { mode: 0o700 })
  await changeOwner(programs.account, tempFolder)
  const args = [
    '--username=postgres',
    // Safe, because only the server's own user can enter the socket folder.
    '--auth=trust',
    '--encoding=UTF8',
    // With this locale, text sorts the same way on every system.
    '--locale=C',
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    '--no-instructions',
  ]
  const { code, errors } = await run(
    programs.start('initdb', tempFolder, args, ['ignore', 'pipe', 'pipe']),
  )
  if (code !== 0) {
    await rm(tempFolder, { recursive: true })
    throw new StartupError(`Postgres could not make its folder ${cluster}: ${errors.trim()}`)
  }
  await rename(tempFolder, cluster)
  await syncFolder(dataDir)
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

async function changeOwner(account: Account | null, path: string): Promise<void> {
  if (account) await chown(path, account.uid, account.gid)
}

/**
 * Creates the private folder for Postgres's socket: in `dataDir`, or in /tmp if the path is too
 * long.
 * @returns the absolute path.
 * @throws {StartupError} if the path isn't a folder or belongs to another user.
 */
export async function prepareSocketFolder(
  dataDir: string,
  account: Account | null,
): Promise<string> {
  const folder = socketFolderOf(dataDir)
  await mkdir(folder, { mode: 0o700 }).catch((error: unknown) => {
    if (codeOf(error) !== 'EEXIST') throw error
  })
  const stats = await lstat(folder)
  const owners = [process.getuid?.(), account?.uid]
  if (!stats.isDirectory() || !owners.includes(stats.uid)) {
    throw new StartupError(
      `${folder} belongs to another user. Remove it, or choose another DATA_DIR.`,
    )
  }
  await chmod(folder, 0o700)
  await changeOwner(account, folder)
  return folder
}

/** Returns the socket folder of a data folder's Postgres. */
export function socketFolderOf(dataDir: string): string {
  const defaultFolder = join(dataDir, 'postgres-socket')
  const hash = createHash('sha256').update(dataDir).digest('hex').slice(0, 20)
  return Buffer.byteLength(defaultFolder) <= maxSocketFolderBytes
    ? defaultFolder
    : `/tmp/mayfly-${hash}`
}

/**
 * Stops this cluster's Postgres if a killed server left it running.
 * @throws {StartupError} if it doesn't exit within `stopMs`.
 */
export async function stopLeftoverPostgres(cluster: string, stopMs: number): Promise<void> {
  const deadline = AbortSignal.timeout(stopMs)
  const pid = await findPostmaster(cluster)
  if (pid === null) return
  try {
    process.kill(pid, 'SIGINT')
  } catch (error) {
    if (codeOf(error) !== 'ESRCH') throw error
  }
  while ((await findPostmaster(cluster)) === pid) {
    if (deadline.aborted) {
      throw new StartupError(
        `Postgres (pid ${pid}) holds ${cluster} and does not stop. Wait for it or stop it ` +
          '(kill -INT), then start again.',
      )
    }
    await wait(20)
  }
}

/** Returns the process id of this cluster's running Postgres, or null. */
export async function findPostmaster(cluster: string): Promise<number | null> {
  return findLockOwner(join(cluster, 'postmaster.pid'), cluster)
}

/** Removes the socket's lock file unless it is held by this cluster's running Postgres. */
export async function removeStaleSocketLock(folder: string, cluster: string): Promise<void> {
  await findLockOwner(join(folder, '.s.PGSQL.5432.lock'), cluster)
}

/**
 * Returns the process id in a lock file if it belongs to this cluster's running Postgres, otherwise
 * null. Removes the file if another program has this id, because Postgres would mistake that
 * program for a running Postgres and not start. Containers often reuse low ids after a crash.
 */
async function findLockOwner(file: string, cluster: string): Promise<number | null> {
  const content = await readIfExists(file)
  const pid = Number(content.split('\n')[0])
  if (!Number.isSafeInteger(pid) || pid <= 0 || !isAlive(pid)) return null
  if (await isPostmaster(pid, cluster)) return pid
  await rm(file, { force: true })
  return null
}

async function readIfExists(file: string): Promise<string> {
  return readFile(file, 'utf8').catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return ''
    throw error
  })
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return codeOf(error) === 'EPERM'
  }
}

async function isPostmaster(pid: number, cluster: string): Promise<boolean> {
  const status = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => null)
  // On Linux, no status means that the process has exited. Other systems have no /proc, so leave
  // the check to Postgres.
  if (status === null) return process.platform !== 'linux'
  if (!/^\d+ \(postgres\) [^Z]/.test(status)) return false
  // Compare inodes, because DATA_DIR may be a symbolic link.
  const [processFolder, clusterFolder] = await Promise.all(
    [`/proc/${pid}/cwd`, cluster].map((folder) => stat(folder).catch(() => null)),
  )
  return (
    !processFolder ||
    !clusterFolder ||
    (processFolder.dev === clusterFolder.dev && processFolder.ino === clusterFolder.ino)
  )
}
