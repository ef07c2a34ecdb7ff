import { readdirSync, readFileSync, writeFileSync } from 'node:fs'

/** Linux reports CPU time in hundredths of a second. */
const ticksPerSecond = 100

function readProcFile(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return null // the process has ended
  }
}

/**
 * Returns the fields of /proc/<pid>/stat that follow the program's name. The name itself may
 * contain spaces and parentheses.
 */
function readStat(pid: number): string[] {
  const line = readProcFile(`/proc/${pid}/stat`)
  return line === null ? [] : line.slice(line.lastIndexOf(')') + 2).split(' ')
}

/** Returns the pids of a process and its running descendants. */
export function listProcessTree(pid: number): number[] {
  const tree = [pid]
  const processes = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  const parents = new Map(
    processes.map((name) => [Number(name), Number(readStat(Number(name))[1])]),
  )
  for (const treePid of tree) {
    for (const [child, parent] of parents) if (parent === treePid) tree.push(child)
  }
  return tree
}

/**
 * Sums the user and system CPU seconds of the processes and their reaped children. Without the
 * children, CPU time would be lost whenever a Postgres connection closes.
 */
export function readCpuSeconds(pids: readonly number[]): number {
  const ticks = pids.reduce((sum, pid) => sum + sumTicks(readStat(pid)), 0)
  return ticks / ticksPerSecond
}

/** Sums `utime`, `stime`, `cutime` and `cstime` (proc_pid_stat(5)). */
function sumTicks(fields: readonly string[]): number {
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0)
}

function parseKilobytes(text: string | null, name: string): number {
  return Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(text ?? '')?.[1] ?? 0) * 1024
}

function sum(pids: readonly number[], bytes: (pid: number) => number) {
  return pids.reduce((total, pid) => total + bytes(pid), 0)
}

/** Resets the peak memory that Linux reports for these processes. */
export function resetPeak(pids: readonly number[]): void {
  for (const pid of pids) writeFileSync(`/proc/${pid}/clear_refs`, '5')
}

/** Sums the peak memory of each process since `resetPeak`. */
export function readPeakBytes(pids: readonly number[]): number {
  return sum(pids, (pid) => parseKilobytes(readProcFile(`/proc/${pid}/status`), 'VmHWM'))
}

/** Sums the current resident memory of the processes. */
export function readResidentBytes(pids: readonly number[]): number {
  return sum(pids, (pid) => parseKilobytes(readProcFile(`/proc/${pid}/status`), 'VmRSS'))
}

/**
 * Sums the processes' proportional set size (PSS), which divides memory shared by several
 * processes, such as Postgres's buffers, among them.
 */
export function readProportionalBytes(pids: readonly number[]): number {
  return sum(pids, (pid) => parseKilobytes(readProcFile(`/proc/${pid}/smaps_rollup`), 'Pss'))
}
