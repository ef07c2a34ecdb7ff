import { createHash } from 'node:crypto'
import {
  chmod,
  chown,
  lstat,
  mkdir,
  mkdtemp,
  open,
  readdir,
  readFile,
  rename,
  rm,
  stat,
} from 'node:fs/promises'
import { join } from 'node:path'
import { codeOf, StartupError } from '../errors.ts'
import { type Account, type PostgresPrograms, run } from './postgres-programs.ts'

/**
 * The strictest system allows paths of Unix sockets of 103 bytes. Postgres adds `/.s.PGSQL.5432` to
 * the folder.
 */
const maxSocketFolderBytes = 103 - '/.s.PGSQL.5432'.length

const initdbPrefix = 'postgres-initdb-'

/**
 * How a folder of `initdb` is removed. Another server that starts at the same time may still write
 * into the folder, or remove it too. So the removal is tried again for some seconds.
 */
const removal = { recursive: true, force: true, maxRetries: 10, retryDelay: 100 }

/**
 * Makes the cluster (the folder of a Postgres's data) where none exists. It is made under another
 * name and then renamed. So an interrupted `initdb` leaves no half cluster. If two servers start
 * together, only one of them makes the cluster.
 * @throws {StartupError} when Postgres cannot make the cluster, or the cluster belongs to another
 * version of Postgres.
 */
export async function prepareCluster(
  cluster: string,
  dataDir: string,
  programs: PostgresPrograms,
): Promise<void> {
  const found = await clusterVersion(cluster)
  if (found === null) return initialise(cluster, dataDir, programs)
  const brought = programs.version.split('.')[0]
  if (found !== brought) {
    throw new StartupError(
      `${cluster} was made by Postgres ${found}, and this version brings Postgres ${brought}. ` +
        'Start the version that made it, save the database with pg_dump, and restore it into a ' +
        'fresh DATA_DIR; or set DATABASE_URL to another Postgres.',
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

async function initialise(
  cluster: string,
  dataDir: string,
  programs: PostgresPrograms,
): Promise<void> {
  const fresh = await mkdtemp(join(dataDir, initdbPrefix))
  try {
    await giveTo(programs.account, fresh)
    const args = [
      '--username=postgres',
      // Postgres need not ask who connects: only the server's own user can open the folder of the
      // socket.
      '--auth=trust',
      '--encoding=UTF8',
      // With this locale, text sorts the same on every system, whatever locales the system has.
      '--locale=C',
      '--locale-provider=builtin',
      '--builtin-locale=C.UTF-8',
      '--no-instructions',
    ]
    const made = await run(programs.start('initdb', fresh, args, ['ignore', 'pipe', 'pipe']))
    if (made.code !== 0) {
      throw new StartupError(`Postgres could not make its folder ${cluster}: ${made.errors.trim()}`)
    }
    await rename(fresh, cluster)
  } catch (error) {
    // Another server may have made the cluster first and removed this folder.
    if ((await clusterVersion(cluster)) === null) throw error
  } finally {
    await rm(fresh, removal)
  }
  await syncFolder(dataDir)
}

/**
 * Removes the folders that an interrupted `initdb` left. Only a process that holds the lock on
 * `dataDir` may call it.
 */
export async function removeInitdbLeftovers(dataDir: string): Promise<void> {
  for (const name of await readdir(dataDir)) {
    if (name.startsWith(initdbPrefix)) await rm(join(dataDir, name), removal)
  }
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

async function giveTo(account: Account | null, path: string): Promise<void> {
  if (account) await chown(path, account.uid, account.gid)
}

/**
 * Makes the private folder for Postgres's socket: in `dataDir`, or below /tmp if the path in
 * `dataDir` is too long for a socket.
 * @returns the folder's absolute path.
 * @throws {StartupError} when the path exists and is no folder, or belongs to another user.
 */
export async function prepareSocketFolder(
  dataDir: string,
  account: Account | null,
): Promise<string> {
  const folder = socketFolderOf(dataDir)
  await mkdir(folder, { mode: 0o700 }).catch((error: unknown) => {
    if (codeOf(error) !== 'EEXIST') throw error
  })
  const found = await lstat(folder)
  const owners = [process.getuid?.(), account?.uid]
  if (!found.isDirectory() || !owners.includes(found.uid)) {
    throw new StartupError(
      `${folder} belongs to somebody else. Remove it, or choose another DATA_DIR.`,
    )
  }
  await chmod(folder, 0o700)
  await giveTo(account, folder)
  return folder
}

/** Returns the folder with the socket of the Postgres of a data folder. */
export function socketFolderOf(dataDir: string): string {
  const inside = join(dataDir, 'postgres-socket')
  const hash = createHash('sha256').update(dataDir).digest('hex').slice(0, 20)
  return Buffer.byteLength(inside) <= maxSocketFolderBytes ? inside : `/tmp/mayfly-${hash}`
}

/**
 * Returns the process id of the running Postgres of this cluster, by its `postmaster.pid`, or null.
 */
export async function findPostmaster(cluster: string): Promise<number | null> {
  return findHolder(join(cluster, 'postmaster.pid'), cluster)
}

/**
 * Removes the lock file of the socket in `folder`, unless a running Postgres of `cluster` holds it.
 */
export async function removeStaleSocketLock(folder: string, cluster: string): Promise<void> {
  await findHolder(join(folder, '.s.PGSQL.5432.lock'), cluster)
}

/**
 * Returns the process id in a lock file if a running Postgres of `cluster` has it, or null. After a
 * crash another program may have this id, since containers reuse a few numbers. Then the file is
 * removed, because Postgres would take that program for a running Postgres.
 */
async function findHolder(file: string, cluster: string): Promise<number | null> {
  const content = await readIfThere(file)
  const pid = Number(content.split('\n')[0])
  if (!Number.isSafeInteger(pid) || pid <= 0 || !isAlive(pid)) return null
  if (await isPostmaster(pid, cluster)) return pid
  // The file is removed only if it is unchanged: another server may have started Postgres
  // meanwhile.
  if ((await readIfThere(file)) === content) await rm(file, { force: true })
  return null
}

async function readIfThere(file: string): Promise<string> {
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
  // On Linux, the process has ended. Other systems have no /proc, so nothing shows which program
  // has this id. There Postgres itself must decide.
  if (status === null) return process.platform !== 'linux'
  if (!/^\d+ \(postgres\) [^Z]/.test(status)) return false
  // The folders are compared by device and inode, because DATA_DIR may be a symbolic link.
  const [theirs, ours] = await Promise.all(
    [`/proc/${pid}/cwd`, cluster].map((folder) => stat(folder).catch(() => null)),
  )
  return !theirs || !ours || (theirs.dev === ours.dev && theirs.ino === ours.ino)
}
