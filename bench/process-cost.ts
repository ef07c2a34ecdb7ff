import { readdirSync, readFileSync, writeFileSync } from 'node:fs'

/**
 * Linux reports processor time in hundredths of a second, whatever clock the kernel itself uses.
 */
const ticksPerSecond = 100

function read(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return null // the process has ended meanwhile
  }
}

/**
 * Returns the fields of /proc/<pid>/stat that follow the program's name. The name may contain
 * spaces and brackets.
 */
function stat(pid: number): string[] {
  const line = read(`/proc/${pid}/stat`)
  return line === null ? [] : line.slice(line.lastIndexOf(')') + 2).split(' ')
}

/**
 * Returns the ids of a process and of all processes that it started, directly or not, and that
 * still run.
 */
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
 * Returns how many seconds of processor time these processes have used so far, their own and the
 * kernel's. The time of processes that they started and that have ended counts too: Linux adds it
 * to the parent once the parent has waited for their end, and no sooner. So each time is counted
 * once. Without it, a connection that Postgres closes would take its time out of the sum.
 */
export function cpuSeconds(pids: readonly number[]): number {
  const ticks = pids.reduce((sum, pid) => sum + ticksOf(stat(pid)), 0)
  return ticks / ticksPerSecond
}

/** Adds up `utime`, `stime`, `cutime` and `cstime` (see proc_pid_stat(5)). */
function ticksOf(fields: readonly string[]): number {
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0)
}

function kilobytes(text: string | null, name: string): number {
  return Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(text ?? '')?.[1] ?? 0) * 1024
}

function sum(pids: readonly number[], bytes: (pid: number) => number) {
  return pids.reduce((total, pid) => total + bytes(pid), 0)
}

/**
 * Forgets the highest memory so far. After this, `peakBytes` returns the highest since this call.
 */
export function resetPeak(pids: readonly number[]): void {
  for (const pid of pids) writeFileSync(`/proc/${pid}/clear_refs`, '5')
}

/** Adds up the most memory that each of these processes had since `resetPeak`. */
export function peakBytes(pids: readonly number[]): number {
  return sum(pids, (pid) => kilobytes(read(`/proc/${pid}/status`), 'VmHWM'))
}

/** Returns the memory that these processes have now. */
export function residentBytes(pids: readonly number[]): number {
  return sum(pids, (pid) => kilobytes(read(`/proc/${pid}/status`), 'VmRSS'))
}

/**
 * Returns the memory of these processes, and counts pages that they share only once. The processes
 * of Postgres share many pages.
 */
export function proportionalBytes(pids: readonly number[]): number {
  return sum(pids, (pid) => kilobytes(read(`/proc/${pid}/smaps_rollup`), 'Pss'))
}
