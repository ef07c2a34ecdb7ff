import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, readdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** On Linux, this directory is a file system in memory (tmpfs). */
const memoryDir = '/dev/shm'
const prefix = 'mayfly-tests-'

/** Always more than a test run's temporary files take up at any one time. */
const requiredBytes = 6 * 1024 ** 3

/**
 * Sets TMPDIR to a directory in memory for this process and its children, because tests write many
 * short-lived files. Does nothing if TMPDIR is already set, if there is too little memory, or if
 * programs can't be executed there.
 */
export function keepTempFilesInMemory(): void {
  if (process.env.TMPDIR !== undefined || !hasSpace()) return
  for (const name of readdirSync(memoryDir)) {
    if (name.startsWith(prefix) && !isRunning(Number(name.slice(prefix.length)))) removeFolder(name)
  }
  const name = `${prefix}${process.pid}`
  const folder = join(memoryDir, name)
  mkdirSync(folder, { recursive: true })
  process.once('exit', () => removeFolder(name))
  // If root runs the tests, Postgres runs as another user, who must be able to reach its files.
  chmodSync(folder, 0o755)
  if (canExecute(folder)) process.env.TMPDIR = folder
}

/**
 * Returns true if programs in `folder` can be executed. In many containers, /dev/shm is mounted
 * noexec.
 */
function canExecute(folder: string): boolean {
  const program = join(folder, 'program')
  writeFileSync(program, '#!/bin/sh\n', { mode: 0o755 })
  return spawnSync(program).status === 0
}

function hasSpace(): boolean {
  try {
    const { bavail, bsize } = statfsSync(memoryDir)
    return bavail * bsize >= requiredBytes && process.availableMemory() >= requiredBytes
  } catch {
    return false
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // EPERM means that the process exists but belongs to another user.
    return !(error instanceof Error && 'code' in error && error.code === 'ESRCH')
  }
}

function removeFolder(name: string): void {
  try {
    rmSync(join(memoryDir, name), { recursive: true, force: true })
  } catch {
    // A process that is still shutting down may have written another file here. The next test run
    // deletes the directory.
  }
}
