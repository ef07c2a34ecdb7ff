import { createHash, randomUUID } from 'node:crypto'
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'

/**
 * Runs `work` while holding a lock, usually named after a directory: a file in the temporary
 * directory that contains the holder's pid. Removes stale locks, whose holders have exited.
 */
export async function withSetupLock(name, work) {
  const hash = createHash('sha256').update(name).digest('hex').slice(0, 20)
  const lockPath = join(tmpdir(), `mayfly-ready-${hash}.lock`)
  for (let attempt = 0; !tryLock(lockPath); attempt += 1) {
    if (attempt === 0) {
      console.error('Another process is setting up; waiting …')
      console.error(`(If there is none, remove ${lockPath})`)
    }
    await wait(200)
  }
  try {
    return await work()
  } finally {
    // Another process may hold the lock by now (see `removeIfStale`).
    if (readPid(lockPath) === process.pid) rmSync(lockPath, { force: true })
  }
}

function tryLock(lockPath) {
  const ownPath = `${lockPath}.${randomUUID()}`
  writeFileSync(ownPath, String(process.pid))
  try {
    // A hard link appears together with its content, while a newly created file would be empty at
    // first.
    linkSync(ownPath, lockPath)
    return true
  } catch (error) {
    if (error.code !== 'EEXIST') throw error
    removeIfStale(lockPath)
    return false
  } finally {
    rmSync(ownPath)
  }
}

function removeIfStale(lockPath) {
  const holderPid = readPid(lockPath)
  if (holderPid === null || isAlive(holderPid)) return
  const movedLockPath = `${lockPath}.${randomUUID()}`
  try {
    renameSync(lockPath, movedLockPath)
  } catch {
    return
  }
  try {
    // Another process had already replaced the stale lock with its own, which has now been moved.
    // Put it back.
    if (readPid(movedLockPath) !== holderPid) linkSync(movedLockPath, lockPath)
  } catch (error) {
    // A third process acquired the lock in the meantime. Two processes now do the same work, which
    // is harmless.
    if (error.code !== 'EEXIST') throw error
  } finally {
    rmSync(movedLockPath, { force: true })
  }
}

function readPid(file) {
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
