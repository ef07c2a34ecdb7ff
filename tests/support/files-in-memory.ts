import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, readdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** On Linux, files in this folder are kept in memory. */
const memory = '/dev/shm'
const prefix = 'mayfly-tests-'

/** More bytes than the temporary files of a whole run take at the same time. */
const enoughBytes = 6 * 1024 ** 3

/**
 * Lets this process, and the processes that it starts, keep their temporary files in memory. Tests
 * write databases, uploads and browser profiles that nobody needs afterwards, and a disk would be
 * slow. Changes nothing if memory has too little room or runs no programs, or if TMPDIR already
 * names a folder.
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
  // When the tests run as root, Postgres runs as another user. That user must be able to reach its
  // files in this folder.
  chmodSync(folder, 0o755)
  if (runsPrograms(folder)) process.env.TMPDIR = folder
}

/**
 * Tells whether programs in `folder` can be run. In many containers, /dev/shm does not allow it.
 */
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
    // A process of another user cannot be signalled, but it runs.
    return !(error instanceof Error && 'code' in error && error.code === 'ESRCH')
  }
}

function remove(name: string): void {
  try {
    rmSync(join(memory, name), { recursive: true, force: true })
  } catch {
    // A process that is ending may still have written into the folder. The next run removes it.
  }
}
