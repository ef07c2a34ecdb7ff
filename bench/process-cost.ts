import { readdirSync, readFileSync, writeFileSync } from 'node:fs'

/** Linux reports processor time in hundredths of a second, whatever clock the kernel uses. */
const ticksPerSecond = 100

function read(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return null // the process has ended since
  }
}

/**
 * Returns the fields of /proc/<pid>/stat after the command's name. The name may contain spaces and
 * brackets.
 */
function stat(pid: number): string[] {
  const line = read(`/proc/${pid}/stat`)
  return line === null ? [] : line.slice(line.lastIndexOf(')') + 2).split(' ')
}

/** Returns the ids of a process and of all its living descendants. */
export function familyOf(pid: number): number[] {
  const family = [pid]
  const processes = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  const parents = new Map(processes.map((name) => [Number(name), Number(stat(Number(name))[1])]))
  for (const member of family) {
    for (const [child, parent] of parents) if (parent === member) family.push(child)
  }
  return family
}

/**
 * Returns the seconds of processor time that these processes have used so far, in user and kernel
 * mode.
 */
export function cpuSeconds(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => {
    const fields = stat(pid)
    return sum + (Number(fields[11] ?? 0) + Number(fields[12] ?? 0)) / ticksPerSecond
  }, 0)
}

function kilobytes(text: string | null, name: string): number {
  return Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(text ?? '')?.[1] ?? 0) * 1024
}

function sum(pids: readonly number[], bytes: (pid: number) => number) {
  return pids.reduce((total, pid) => total + bytes(pid), 0)
}

/** Forgets the peak so far. After this, `peakBytes` returns the peak since this call. */
export function resetPeak(pids: readonly number[]): void {
  for (const pid of pids) writeFileSync(`/proc/${pid}/clear_refs`, '5')
}

/** Returns the most memory that was resident since `resetPeak`. */
export function peakBytes(pids: readonly number[]): number {
  return sum(pids, (pid) => kilobytes(read(`/proc/${pid}/status`), 'VmHWM'))
}

/** Returns the memory that is resident now. */
export function residentBytes(pids: readonly number[]): number {
  return sum(pids, (pid) => kilobytes(read(`/proc/${pid}/status`), 'VmRSS'))
}

/**
 * Returns the memory of these processes, with each shared page counted once. Postgres shares many
 * pages.
 */
export function proportionalBytes(pids: readonly number[]): number {
  return sum(pids, (pid) => kilobytes(read(`/proc/${pid}/smaps_rollup`), 'Pss'))
}
