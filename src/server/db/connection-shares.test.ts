import { expect, test } from 'vitest'
import { embeddedConnections, poolShare } from './connection-shares.ts'
import { copyLimits } from './open-beside.ts'

const counts = Array.from({ length: 64 }, (_, index) => index + 1)

test.each(counts)('%i workers and whoever else connects find room in Postgres', (workers) => {
  const share = poolShare(workers)
  expect(share).toBeGreaterThanOrEqual(2)
  expect(share).toBeLessThanOrEqual(10)
  const session = 1
  const start = 1
  const primary = 1
  const backup = copyLimits.connections + 1
  const keptBack = 3
  const operator = 1
  const needed = workers * (share + session + start) + primary + backup + keptBack + operator
  expect(embeddedConnections(workers)).toBeGreaterThanOrEqual(needed)
})

test('a Postgres for few workers takes as many as ever, and one for 64 not thousands', () => {
  expect([1, 2, 6].map(embeddedConnections)).toEqual([100, 100, 100])
  expect(Math.max(...counts.map(embeddedConnections))).toBeLessThanOrEqual(300)
})

test('the more workers there are, the smaller is the share of each', () => {
  expect([1, 8, 16, 40, 64].map(poolShare)).toEqual([10, 10, 5, 2, 2])
})
