import { mkdtemp, readdir, rm, stat, truncate } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { reserveBytes, SpaceReserve, startupReserveBytes } from './space-reserve.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mayfly-reserve-'))
})
afterEach(() => rm(folder, { recursive: true }))

const neverAborted = new AbortController().signal
async function readSizeOnDisk() {
  return (await stat(join(folder, 'reserve'))).blocks * 512
}

test('the reserve uses real disk space and survives a restart', async () => {
  const reserve = await SpaceReserve.open(folder)
  expect([reserve.size, reserve.missingBytes]).toEqual([0, reserveBytes])
  await reserve.fill(neverAborted)
  expect([reserve.size, reserve.missingBytes]).toEqual([reserveBytes, 0])
  expect(await readSizeOnDisk()).toBeGreaterThanOrEqual(reserveBytes)
  expect((await SpaceReserve.open(folder)).size).toBe(reserveBytes)
})

test("a sparse file doesn't count as reserve", async () => {
  const reserve = await SpaceReserve.open(folder)
  await reserve.fill(neverAborted)
  const path = join(folder, 'reserve')
  await truncate(path, 0)
  await truncate(path, reserveBytes)
  const reopened = await SpaceReserve.open(folder)
  expect(reopened.size).toBe(0)
  await reopened.fill(neverAborted)
  expect(await readSizeOnDisk()).toBeGreaterThanOrEqual(reserveBytes)
})

test('the reserve frees the requested bytes but keeps the part for the next start', async () => {
  const reserve = await SpaceReserve.open(folder)
  await reserve.fill(neverAborted)
  const requestedBytes = 3 * 1024 * 1024
  expect(await reserve.shrink(requestedBytes, startupReserveBytes)).toBe(requestedBytes)
  expect(await readSizeOnDisk()).toBeLessThan(reserveBytes)
  expect(await reserve.shrink(reserveBytes, startupReserveBytes)).toBe(
    reserveBytes - startupReserveBytes - requestedBytes,
  )
  expect(await reserve.shrink(1, startupReserveBytes)).toBe(0)
  expect(reserve.size).toBe(startupReserveBytes)
  expect(await reserve.shrink(reserveBytes, 0)).toBe(startupReserveBytes)
  expect(await readdir(folder)).toEqual([])
  expect(await reserve.shrink(1, 0)).toBe(0)
  await reserve.fill(neverAborted)
  expect(reserve.missingBytes).toBe(0)
})

test('filling the reserve stops when the server stops', async () => {
  const reserve = await SpaceReserve.open(folder)
  await reserve.fill(AbortSignal.abort())
  expect(reserve.size).toBe(0)
})
