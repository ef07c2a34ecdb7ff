import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'

const MiB = 1024 ** 2

export function measureResidentMiB(pid: number): number {
  const statusPath = `/proc/${pid}/status`
  if (!existsSync(statusPath)) {
    // On systems without /proc, use `ps`, which reports KiB.
    return (Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)])) * 1024) / MiB
  }
  const [, kilobytes] = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(statusPath, 'utf8')) ?? []
  return (Number(kilobytes) * 1024) / MiB
}
