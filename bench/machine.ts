import { execFileSync } from 'node:child_process'
import { statfsSync } from 'node:fs'
import { chmod, mkdtemp } from 'node:fs/promises'
import { cpus, loadavg, release, totalmem } from 'node:os'
import { join } from 'node:path'

const gibibyte = 1024 ** 3

/** More than enough for three 1 GiB files: the source, Mayfly's copy and nginx's. */
const scratchBytes = 4 * gibibyte

/** The Debian package that contains each program. */
const packages = { nginx: 'nginx', wrk: 'wrk', curl: 'curl', taskset: 'util-linux' } as const

/** Debian installs server programs in these directories, which may not be on a user's PATH. */
const path = `${process.env.PATH}:/usr/sbin:/sbin`

/** Environment variables for every program the benchmarks start. */
export const environment = { ...process.env, PATH: path }

function readOutput(command: string, ...args: string[]): string {
  return execFileSync('sh', ['-c', '"$@" 2>&1 || true', 'sh', command, ...args], {
    env: environment,
    encoding: 'utf8',
  }).trim()
}

/** Returns one sentence per missing program, with the command that installs it. */
export function findMissingPrograms(): string[] {
  return Object.entries(packages)
    .filter(([program]) => readOutput('which', program) === '')
    .map(([program, name]) => `${program} is not installed: apt-get install --yes ${name}`)
}

/**
 * CPU numbers for servers and for clients, such as `0,1`. Empty on machines with fewer than four
 * cores, where all programs share them.
 */
export interface Cores {
  server: string
  client: string
}

export function divideCores(): Cores {
  return cpus().length >= 4 ? { server: '0,1', client: '2,3' } : { server: '', client: '' }
}

/** Wraps a command to run it on the given CPUs. */
export function pinToCores(cores: string, command: string[]): string[] {
  return cores === '' ? command : ['taskset', '--cpu-list', cores, ...command]
}

/** Creates a temporary directory in memory, or on disk if there isn't enough memory. */
export async function makeScratch(): Promise<{ dir: string; inMemory: boolean }> {
  const isInMemory = readFreeBytes('/dev/shm') >= scratchBytes
  return { dir: await makeFolder(isInMemory ? '/dev/shm' : diskFolder), inMemory: isInMemory }
}

/** Unlike /tmp, this is never an in-memory file system. */
const diskFolder = '/var/tmp'

/** Creates a temporary directory on disk. */
export function makeDiskScratch(): Promise<string> {
  return makeFolder(diskFolder)
}

async function makeFolder(parent: string): Promise<string> {
  const dir = await mkdtemp(join(parent, 'mayfly-bench-'))
  // As root, Postgres runs as a different user, who must be able to reach its directory.
  await chmod(dir, 0o755)
  return dir
}

function readFreeBytes(folder: string): number {
  try {
    const { bavail, bsize } = statfsSync(folder)
    return bavail * bsize
  } catch {
    return 0
  }
}

/** Describes the machine, without its hostname. */
export function describeMachine(cores: Cores, isInMemory: boolean): Record<string, string> {
  return {
    cores: `${cpus().length}${cores.server && ` (server ${cores.server}, client ${cores.client})`}`,
    memory: `${Math.round(totalmem() / gibibyte)} GiB`,
    files: isInMemory ? 'tmpfs' : 'disk (no room in /dev/shm: compare with care)',
    kernel: release(),
    node: process.version,
    nginx: readOutput('nginx', '-v').replace(/.*\//, ''),
    wrk: /wrk (?:debian\/)?(\S+)/.exec(readOutput('wrk', '-v'))?.[1] ?? 'unknown',
    curl: /curl (\S+)/.exec(readOutput('curl', '--version'))?.[1] ?? 'unknown',
    'load before': loadavg()
      .map((load) => load.toFixed(1))
      .join(' '),
  }
}
