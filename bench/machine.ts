import { execFileSync } from 'node:child_process'
import { statfsSync } from 'node:fs'
import { chmod, mkdtemp } from 'node:fs/promises'
import { cpus, loadavg, release, totalmem } from 'node:os'
import { join } from 'node:path'

const gibibyte = 1024 ** 3

/** Room for three files of 1 GiB (the source, Mayfly's copy and nginx's copy), and some more. */
const scratchBytes = 4 * gibibyte

/** The Debian package of each program that the benchmark calls. */
const packages = { nginx: 'nginx', wrk: 'wrk', curl: 'curl', taskset: 'util-linux' } as const

/** Debian keeps the programs of servers in folders that are not in an ordinary user's PATH. */
const path = `${process.env.PATH}:/usr/sbin:/sbin`

/** The environment of every program that the benchmark starts. */
export const environment = { ...process.env, PATH: path }

function output(command: string, ...args: string[]): string {
  return execFileSync('sh', ['-c', '"$@" 2>&1 || true', 'sh', command, ...args], {
    env: environment,
    encoding: 'utf8',
  }).trim()
}

/** Returns one sentence for each program that is missing, with the command that installs it. */
export function missingPrograms(): string[] {
  return Object.entries(packages)
    .filter(([program]) => output('which', program) === '')
    .map(([program, name]) => `${program} is not installed: apt-get install --yes ${name}`)
}

/**
 * The numbers of the processor cores for the servers and for the clients, such as `0,1`. Both are
 * empty on a machine with fewer than four cores, where all programs share all cores.
 */
export interface Cores {
  server: string
  client: string
}

export function divideCores(): Cores {
  return cpus().length >= 4 ? { server: '0,1', client: '2,3' } : { server: '', client: '' }
}

/** Returns a command that runs on these cores only. */
export function onCores(cores: string, command: string[]): string[] {
  return cores === '' ? command : ['taskset', '--cpu-list', cores, ...command]
}

/**
 * Makes a new folder in memory, or on the disk if memory has too little room. `inMemory` tells
 * which.
 */
export async function makeScratch(): Promise<{ dir: string; inMemory: boolean }> {
  const inMemory = freeBytes('/dev/shm') >= scratchBytes
  return { dir: await makeFolder(inMemory ? '/dev/shm' : diskFolder), inMemory }
}

/** Unlike /tmp, this folder is never in memory. */
const diskFolder = '/var/tmp'

/** Makes a new folder on the disk, for measurements in which files must not be kept in memory. */
export function makeDiskScratch(): Promise<string> {
  return makeFolder(diskFolder)
}

async function makeFolder(parent: string): Promise<string> {
  const dir = await mkdtemp(join(parent, 'mayfly-bench-'))
  // If this runs as root, Postgres runs as another user, and that user must reach its folder.
  await chmod(dir, 0o755)
  return dir
}

function freeBytes(folder: string): number {
  try {
    const { bavail, bsize } = statfsSync(folder)
    return bavail * bsize
  } catch {
    return 0
  }
}

/** Describes the machine on which the figures were measured, without its name. */
export function describeMachine(cores: Cores, inMemory: boolean): Record<string, string> {
  return {
    cores: `${cpus().length}${cores.server && ` (server ${cores.server}, client ${cores.client})`}`,
    memory: `${Math.round(totalmem() / gibibyte)} GiB`,
    files: inMemory ? 'tmpfs' : 'disk (no room in /dev/shm: compare with care)',
    kernel: release(),
    node: process.version,
    nginx: output('nginx', '-v').replace(/.*\//, ''),
    wrk: /wrk (?:debian\/)?(\S+)/.exec(output('wrk', '-v'))?.[1] ?? 'unknown',
    curl: /curl (\S+)/.exec(output('curl', '--version'))?.[1] ?? 'unknown',
    'load before': loadavg()
      .map((load) => load.toFixed(1))
      .join(' '),
  }
}
