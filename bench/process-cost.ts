import { readdirSync, readFileSync, writeFileSync } from 'node:fs'

/** Linux counts processor time in hundredths of a second, whatever the kernel's own clock. */
const ticksPerSecond = 100

function read(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return null // the process has ended since
  }
}

/** The fields of /proc/<pid>/stat behind the command's name, which may hold spaces and brackets. */
function stat(pid: number): string[] {
  const line = read(`/proc/${pid}/stat`)
  return line === null ? [] : line.slice(line.lastIndexOf(')') + 2).split(' ')
}

/** A process and all that descend from it, living ones. */
export function familyOf(pid: number): number[] {
  const family = [pid]
  const processes = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  const parents = new Map(processes.map((name) => [Number(name), Number(stat(Number(name))[1])]))
  for (const member of family) {
    for (const [child, parent] of parents) if (parent === member) family.push(child)
  }
  return family
}

/** Seconds of processor time that these processes have used so far, in user and in kernel mode. */
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

/** Forgets the peak so far, so that `peakBytes` tells that of what comes next. */
export function resetPeak(pids: readonly number[]): void {
  for (const pid of pids) writeFileSync(`/proc/${pid}/clear_refs`, '5')
}

/** The most memory that was resident at once since `resetPeak`. */
export function peakBytes(pids: readonly number[]): number {
  return sum(pids, (pid) => kilobytes(read(`/proc/${pid}/status`), 'VmHWM'))
}

/** Memory that is resident now. */
export function residentBytes(pids: readonly number[]): number {
  return sum(pids, (pid) => kilobytes(read(`/proc/${pid}/status`), 'VmRSS'))
}

/** Memory with each page that processes share counted once between them: right for Postgres. */
export function proportionalBytes(pids: readonly number[]): number {
  return sum(pids, (pid) => kilobytes(read(`/proc/${pid}/smaps_rollup`), 'Pss'))
}
