import { expect, it } from 'vitest'
import { AppError } from '../errors.ts'
import { UploadLanes } from './upload-lanes.ts'

const newer = 'UPLOAD_SUPERSEDED'
const superseded = { name: 'AppError', code: newer }

/** Whether a promise has been kept by the time that everything which can happen has happened. */
const isKept = async (promise: Promise<unknown>) => {
  let kept = false
  void promise.then(() => {
    kept = true
  })
  await new Promise(setImmediate)
  return kept
}

it('lets parts go side by side, and one at a time each', async () => {
  const lanes = new UploadLanes()
  const [one, two] = [await lanes.enter('key', newer, 1), await lanes.enter('key', newer, 2)]
  const again = lanes.enter('key', newer, 1)
  expect(one.signal.reason).toMatchObject(superseded)
  expect(two.signal.aborted).toBe(false)
  expect(await isKept(again)).toBe(false)
  one.leave()
  expect(await isKept(again)).toBe(true)
  expect(two.signal.aborted).toBe(false)
})

it('lets the whole key wait for all parts, and later parts for it', async () => {
  const lanes = new UploadLanes()
  const parts = [await lanes.enter('key', newer, 1), await lanes.enter('key', newer, 2)]
  const whole = lanes.enter('key', newer)
  const later = lanes.enter('key', newer, 2)
  expect(parts.map(({ signal }) => signal.aborted)).toEqual([true, true])
  parts[0]?.leave()
  expect(await isKept(whole)).toBe(false)
  parts[1]?.leave()
  expect(await isKept(whole)).toBe(true)
  expect(await isKept(later)).toBe(false)
  const lane = await whole
  expect(lane.signal.aborted).toBe(true)
  lane.leave()
  ;(await later).leave()
  expect(lanes.isHeld('key')).toBe(false)
})

it('keeps keys apart, and stops all', async () => {
  const lanes = new UploadLanes()
  const held = [await lanes.enter('a', newer), await lanes.enter('b', newer, 1)]
  expect(held.map(({ signal }) => signal.aborted)).toEqual([false, false])
  const closing = new AppError('UNAVAILABLE')
  lanes.stopAll(closing)
  expect(held.map(({ signal }) => signal.reason)).toEqual([closing, closing])
  expect([lanes.isHeld('a'), lanes.isHeld('c')]).toEqual([true, false])
})
