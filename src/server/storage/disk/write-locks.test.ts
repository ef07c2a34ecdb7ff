import { expect, it } from 'vitest'
import { AppError } from '../../errors.ts'
import { WriteLocks } from './write-locks.ts'

const newer = 'UPLOAD_SUPERSEDED'
const superseded = { name: 'AppError', code: newer }

/** True if the promise resolves without further external events. */
async function isKept(promise: Promise<unknown>) {
  let kept = false
  void promise.then(() => {
    kept = true
  })
  await new Promise(setImmediate)
  return kept
}

it('allows different parts in parallel, but only one request per part', async () => {
  const locks = new WriteLocks()
  const [one, two] = [await locks.acquire('key', newer, 1), await locks.acquire('key', newer, 2)]
  const again = locks.acquire('key', newer, 1)
  expect(one.signal.reason).toMatchObject(superseded)
  expect(two.signal.aborted).toBe(false)
  expect(await isKept(again)).toBe(false)
  one.release()
  expect(await isKept(again)).toBe(true)
  expect(two.signal.aborted).toBe(false)
})

it('makes the whole key wait for locked parts, and later parts wait for the whole key', async () => {
  const locks = new WriteLocks()
  const parts = [await locks.acquire('key', newer, 1), await locks.acquire('key', newer, 2)]
  const whole = locks.acquire('key', newer)
  const later = locks.acquire('key', newer, 2)
  expect(parts.map(({ signal }) => signal.aborted)).toEqual([true, true])
  parts[0]?.release()
  expect(await isKept(whole)).toBe(false)
  parts[1]?.release()
  expect(await isKept(whole)).toBe(true)
  expect(await isKept(later)).toBe(false)
  const lock = await whole
  expect(lock.signal.aborted).toBe(true)
  lock.release()
  ;(await later).release()
  expect(locks.isHeld('key')).toBe(false)
})

it('locks keys independently and can abort all holders', async () => {
  const locks = new WriteLocks()
  const held = [await locks.acquire('a', newer), await locks.acquire('b', newer, 1)]
  expect(held.map(({ signal }) => signal.aborted)).toEqual([false, false])
  const closing = new AppError('UNAVAILABLE')
  locks.stopAll(closing)
  expect(held.map(({ signal }) => signal.reason)).toEqual([closing, closing])
  expect([locks.isHeld('a'), locks.isHeld('c')]).toEqual([true, false])
})
