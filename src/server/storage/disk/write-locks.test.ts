import { expect, it } from 'vitest'
import { AppError } from '../../errors.ts'
import { WriteLocks } from './write-locks.ts'

const supersededCode = 'UPLOAD_SUPERSEDED'
const supersededError = { name: 'AppError', code: supersededCode }

/** True if the promise settles without any further external event. */
async function isSettled(promise: Promise<unknown>) {
  let settled = false
  void promise.then(() => {
    settled = true
  })
  await new Promise(setImmediate)
  return settled
}

it('allows different parts in parallel, but only one request per part', async () => {
  const locks = new WriteLocks()
  const [firstLock, secondLock] = [
    await locks.acquire('key', supersededCode, 1),
    await locks.acquire('key', supersededCode, 2),
  ]
  const pendingLock = locks.acquire('key', supersededCode, 1)
  expect(firstLock.signal.reason).toMatchObject(supersededError)
  expect(secondLock.signal.aborted).toBe(false)
  expect(await isSettled(pendingLock)).toBe(false)
  firstLock.release()
  expect(await isSettled(pendingLock)).toBe(true)
  expect(secondLock.signal.aborted).toBe(false)
})

it('makes the whole key wait for locked parts, and later parts wait for the whole key', async () => {
  const locks = new WriteLocks()
  const partLocks = [
    await locks.acquire('key', supersededCode, 1),
    await locks.acquire('key', supersededCode, 2),
  ]
  const wholeKeyLock = locks.acquire('key', supersededCode)
  const laterLock = locks.acquire('key', supersededCode, 2)
  expect(partLocks.map(({ signal }) => signal.aborted)).toEqual([true, true])
  partLocks[0]?.release()
  expect(await isSettled(wholeKeyLock)).toBe(false)
  partLocks[1]?.release()
  expect(await isSettled(wholeKeyLock)).toBe(true)
  expect(await isSettled(laterLock)).toBe(false)
  const lock = await wholeKeyLock
  expect(lock.signal.aborted).toBe(true)
  lock.release()
  ;(await laterLock).release()
  expect(locks.isLocked('key')).toBe(false)
})

it('locks keys independently and can abort all holders', async () => {
  const locks = new WriteLocks()
  const activeLocks = [
    await locks.acquire('a', supersededCode),
    await locks.acquire('b', supersededCode, 1),
  ]
  expect(activeLocks.map(({ signal }) => signal.aborted)).toEqual([false, false])
  const shutdownError = new AppError('UNAVAILABLE')
  locks.abortAll(shutdownError)
  expect(activeLocks.map(({ signal }) => signal.reason)).toEqual([shutdownError, shutdownError])
  expect([locks.isLocked('a'), locks.isLocked('c')]).toEqual([true, false])
})
