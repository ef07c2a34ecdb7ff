import { describe, expect, test } from 'vitest'
import {
  failFirstAttempts,
  rangeTo,
  sentPartNumbers,
  simulateParts,
  transferErrorOf,
} from '../../../../tests/support/parts-world.ts'
import { maxAttempts, maxWaitMs } from './retry-policy.ts'

describe('signatures', () => {
  test('are requested in batches', async () => {
    const sim = simulateParts(50)
    await sim.run()
    expect(sim.signedParts.map(({ length }) => length)).toEqual([16, 16, 16, 2])
    expect(sim.signedParts.flat()).toEqual(rangeTo(50))
  })

  test('that have expired are renewed immediately, including others of the same age', async () => {
    const sim = simulateParts(30)
    sim.fault = (partNumber) => {
      if (partNumber === 8) sim.oldestGoodSignature = 1
      return null
    }
    await sim.run()
    expect(sim.violations).toEqual([])
    expect(sim.delays).toEqual([])
    expect(sim.puts.length).toBeLessThanOrEqual(30 + 5)
    expect(sim.storedParts.size).toBe(30)
  })

  test('are renewed after a lost connection, because storage may have rejected the URL that way', async () => {
    const sim = simulateParts(2)
    sim.fault = failFirstAttempts(
      1,
      { kind: 'lost', cause: 'network', stored: false },
      (n) => n === 1,
    )
    await sim.run()
    const firstPartPuts = sim.puts.filter(({ partNumber }) => partNumber === 1)
    expect(firstPartPuts.map(({ signature }) => signature)).toEqual([1, 2])
  })

  test('that are rejected although they are new fail the transfer', async () => {
    const sim = simulateParts(3)
    sim.fault = (partNumber) => (partNumber === 2 ? { kind: 'status', status: 403 } : null)
    expect(await transferErrorOf(sim.run())).toEqual({ kind: 'status', status: 403 })
    expect(sentPartNumbers(sim).filter((n) => n === 2)).toHaveLength(maxAttempts + 1)
    expect(
      new Set(sim.puts.map(({ partNumber, signature }) => `${partNumber} ${signature}`)).size,
    ).toBe(sim.puts.length)
  })

  test.each([
    [401, 'signed-out'],
    [404, 'gone'],
    [403, 'status'],
    [400, 'status'],
  ])('a call that responds with %i ends the transfer as %s', async (status, kind) => {
    const sim = simulateParts(3)
    sim.rejectSigning = () => ({ status })
    expect(await transferErrorOf(sim.run())).toEqual({ kind, status })
    expect(sim.puts).toEqual([])
    expect(sim.delays).toEqual([])
  })

  test.each([null, 500, 503, 429])('a call that fails with %s is retried', async (status) => {
    const sim = simulateParts(3)
    let callCount = 0
    sim.rejectSigning = () => {
      callCount += 1
      return callCount <= 2 ? { status } : null
    }
    await sim.run()
    expect(sim.storedParts.size).toBe(3)
    expect(sentPartNumbers(sim).sort()).toEqual([1, 2, 3])
  })

  test('a call that never succeeds is given up after eight rounds', async () => {
    const sim = simulateParts(3)
    sim.rejectSigning = () => ({ status: null })
    expect(await transferErrorOf(sim.run())).toEqual({ kind: 'network', status: null })
    expect(sim.delays.length).toBeGreaterThanOrEqual(maxAttempts - 1)
    expect(Math.max(...sim.delays)).toBeLessThanOrEqual(maxWaitMs)
  })
})
