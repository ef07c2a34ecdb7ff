import { createHash, randomUUID } from 'node:crypto'
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'

/**
 * Runs `work` when no other process runs it for the same folder. The lock is a file in the system's
 * folder for temporary files. It contains the id of the process that has the lock. The lock of a
 * process that no longer runs is removed.
 */
export async function alone(folder, work) {
  const hash = createHash('sha256').update(folder).digest('hex').slice(0, 20)
  const lock = join(tmpdir(), `mayfly-ready-${hash}.lock`)
  for (let round = 0; !take(lock); round += 1) {
    if (round === 0) {
      console.error('Another start is setting things up; waiting for it …')
      console.error(`(If there is none, remove ${lock})`)
    }
    await wait(200)
  }
  try {
    return await work()
  } finally {
    // The file may be the lock of another process by now (see `removeIfDead`).
    if (pidIn(lock) === process.pid) rmSync(lock, { force: true })
  }
}

function take(lock) {
  const mine = `${lock}.${randomUUID()}`
  writeFileSync(mine, String(process.pid))
  try {
    // The new link has its content at once. A file created at this path would be empty for a
    // moment.
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
    // Another process was faster: it had already removed the dead lock and made its own. That lock
    // was renamed here by mistake, so it is put back.
    if (pidIn(aside) !== holder) linkSync(aside, lock)
  } catch (error) {
    // A third process has taken the lock in the meantime. Two processes then have it, and both do
    // the same work. Nothing better can be done here.
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
