import { execFileSync } from 'node:child_process'
import { statfsSync } from 'node:fs'
import { chmod, mkdtemp } from 'node:fs/promises'
import { cpus, loadavg, release, totalmem } from 'node:os'
import { join } from 'node:path'

const gibibyte = 1024 ** 3

/** The source, our copy and nginx's copy of 1 GiB, and room to spare. */
const scratchBytes = 4 * gibibyte

/** Debian's package for each program that is called. */
const packages = { nginx: 'nginx', wrk: 'wrk', curl: 'curl', taskset: 'util-linux' } as const

/** Debian keeps servers where an ordinary user's PATH does not look. */
const path = `${process.env.PATH}:/usr/sbin:/sbin`

/** The environment of everything that the benchmark starts. */
export const environment = { ...process.env, PATH: path }

function output(command: string, ...args: string[]): string {
  return execFileSync('sh', ['-c', '"$@" 2>&1 || true', 'sh', command, ...args], {
    env: environment,
    encoding: 'utf8',
  }).trim()
}

/** The programs that are missing, each with the command that brings it. */
export function missingPrograms(): string[] {
  return Object.entries(packages)
    .filter(([program]) => output('which', program) === '')
    .map(([program, name]) => `${program} is not installed: apt-get install --yes ${name}`)
}

/** Which cores serve and which ask; both empty where there are too few to part them. */
export interface Cores {
  server: string
  client: string
}

export function divideCores(): Cores {
  return cpus().length >= 4 ? { server: '0,1', client: '2,3' } : { server: '', client: '' }
}

/** A command held to some cores. */
export function onCores(cores: string, command: string[]): string[] {
  return cores === '' ? command : ['taskset', '--cpu-list', cores, ...command]
}

/** A fresh folder in memory, or on the disk where memory has no room; `inMemory` says which. */
export async function makeScratch(): Promise<{ dir: string; inMemory: boolean }> {
  const inMemory = freeBytes('/dev/shm') >= scratchBytes
  return { dir: await makeFolder(inMemory ? '/dev/shm' : diskFolder), inMemory }
}

/** Unlike /tmp, never in memory. */
const diskFolder = '/var/tmp'

/** A fresh folder on the disk. */
export function makeDiskScratch(): Promise<string> {
  return makeFolder(diskFolder)
}

async function makeFolder(parent: string): Promise<string> {
  const dir = await mkdtemp(join(parent, 'mayfly-bench-'))
  // Started by root, Postgres runs as another user and has to get to its folder.
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

/** What the figures were measured on, in general terms. */
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
