import { createHash, randomUUID } from 'node:crypto'
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'

/**
 * Runs `work` under a per-directory lock: a file in the temporary directory with the holder's pid.
 * Locks of dead processes are removed.
 */
export async function alone(folder, work) {
  const hash = createHash('sha256').update(folder).digest('hex').slice(0, 20)
  const lock = join(tmpdir(), `mayfly-ready-${hash}.lock`)
  for (let round = 0; !take(lock); round += 1) {
    if (round === 0) {
      console.error('Another process is setting up; waiting …')
      console.error(`(If there is none, remove ${lock})`)
    }
    await wait(200)
  }
  try {
    return await work()
  } finally {
    // By now it may be another process's lock (see `removeIfDead`).
    if (pidIn(lock) === process.pid) rmSync(lock, { force: true })
  }
}

function take(lock) {
  const mine = `${lock}.${randomUUID()}`
  writeFileSync(mine, String(process.pid))
  try {
    // A hard link appears with its content. A file created here would be empty at first.
    linkSync(mine, lock)
    return true
  } catch (error) {
    if (error.code !== 'EEXIST') throw error
    removeIfDead(lock)
    return false
  } finally {
    rmSync(mine)
  }
}

function removeIfDead(lock) {
  const holder = pidIn(lock)
  if (holder === null || isAlive(holder)) return
  const aside = `${lock}.${randomUUID()}`
  try {
    renameSync(lock, aside)
  } catch {
    return
  }
  try {
    // Another process has already replaced the dead lock with its own, so restore that one.
    if (pidIn(aside) !== holder) linkSync(aside, lock)
  } catch (error) {
    // A third process acquired the lock meanwhile. Both then do the same work, which is harmless.
    if (error.code !== 'EEXIST') throw error
  } finally {
    rmSync(aside, { force: true })
  }
}

function pidIn(file) {
  try {
    return Number(readFileSync(file, 'utf8'))
  } catch {
    return null
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error.code === 'EPERM'
  }
}
