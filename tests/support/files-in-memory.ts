import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, readdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** In memory on Linux. */
const memory = '/dev/shm'
const prefix = 'mayfly-tests-'

/** More than the temporary files of a run take at once. */
const enoughBytes = 6 * 1024 ** 3

/**
 * Points TMPDIR to memory for this process and its children: tests write much that nobody keeps.
 * Does nothing if memory has too little space or forbids execution, or TMPDIR is set.
 */
export function keepFilesInMemory(): void {
  if (process.env.TMPDIR !== undefined || !hasRoom()) return
  for (const name of readdirSync(memory)) {
    if (name.startsWith(prefix) && !isRunning(Number(name.slice(prefix.length)))) remove(name)
  }
  const name = `${prefix}${process.pid}`
  const folder = join(memory, name)
  mkdirSync(folder, { recursive: true })
  process.once('exit', () => remove(name))
  // Run as root, Postgres has another user, which must be able to reach its files.
  chmodSync(folder, 0o755)
  if (runsPrograms(folder)) process.env.TMPDIR = folder
}

/** Whether programs in `folder` can be run; many containers mount /dev/shm noexec. */
function runsPrograms(folder: string): boolean {
  const program = join(folder, 'program')
  writeFileSync(program, '#!/bin/sh\n', { mode: 0o755 })
  return spawnSync(program).status === 0
}

function hasRoom(): boolean {
  try {
    const { bavail, bsize } = statfsSync(memory)
    return bavail * bsize >= enoughBytes && process.availableMemory() >= enoughBytes
  } catch {
    return false
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // EPERM: it is running as another user.
    return !(error instanceof Error && 'code' in error && error.code === 'ESRCH')
  }
}

function remove(name: string): void {
  try {
    rmSync(join(memory, name), { recursive: true, force: true })
  } catch {
    // An ending process may still have written here. The next run deletes it.
  }
}
