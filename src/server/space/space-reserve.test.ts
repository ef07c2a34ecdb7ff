import { mkdtemp, readdir, rm, stat, truncate } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { keptForStart, reserveBytes, SpaceReserve } from './space-reserve.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mayfly-reserve-'))
})
afterEach(() => rm(folder, { recursive: true }))

const never = new AbortController().signal
async function onDisk() {
  return (await stat(join(folder, 'reserve'))).blocks * 512
}

test('the reserve uses real disk space and survives a restart', async () => {
  const reserve = await SpaceReserve.open(folder)
  expect([reserve.held, reserve.missing]).toEqual([0, reserveBytes])
  await reserve.fill(never)
  expect([reserve.held, reserve.missing]).toEqual([reserveBytes, 0])
  expect(await onDisk()).toBeGreaterThanOrEqual(reserveBytes)
  expect((await SpaceReserve.open(folder)).held).toBe(reserveBytes)
})

test("a sparse file doesn't count as reserve", async () => {
  const reserve = await SpaceReserve.open(folder)
  await reserve.fill(never)
  const path = join(folder, 'reserve')
  await truncate(path, 0)
  await truncate(path, reserveBytes)
  const found = await SpaceReserve.open(folder)
  expect(found.held).toBe(0)
  await found.fill(never)
  expect(await onDisk()).toBeGreaterThanOrEqual(reserveBytes)
})

test('it frees the requested bytes but keeps the part for the next start', async () => {
  const reserve = await SpaceReserve.open(folder)
  await reserve.fill(never)
  const some = 3 * 1024 * 1024
  expect(await reserve.shrink(some, keptForStart)).toBe(some)
  expect(await onDisk()).toBeLessThan(reserveBytes)
  expect(await reserve.shrink(reserveBytes, keptForStart)).toBe(reserveBytes - keptForStart - some)
  expect(await reserve.shrink(1, keptForStart)).toBe(0)
  expect(reserve.held).toBe(keptForStart)
  expect(await reserve.shrink(reserveBytes, 0)).toBe(keptForStart)
  expect(await readdir(folder)).toEqual([])
  expect(await reserve.shrink(1, 0)).toBe(0)
  await reserve.fill(never)
  expect(reserve.missing).toBe(0)
})

test('filling the reserve stops when the server stops', async () => {
  const reserve = await SpaceReserve.open(folder)
  await reserve.fill(AbortSignal.abort())
  expect(reserve.held).toBe(0)
})
