import { describe, expect, test } from 'vitest'
import {
  failFirstAttempts,
  rangeTo,
  sentPartNumbers,
  simulateParts,
  transferErrorOf,
} from '../../../../tests/support/parts-world.ts'
import { firstWaitMs, maxAttempts, maxWaitMs } from './retry-policy.ts'

describe('a failed part', () => {
  test('is retried by its own connection after a wait, while other connections continue', async () => {
    const sim = simulateParts(40)
    sim.partMs = firstWaitMs / 30
    sim.fault = failFirstAttempts(1, { kind: 'status', status: 500 }, (n) => n === 2)
    await sim.run()
    expect(sim.delays).toEqual([firstWaitMs])
    const secondPut = sim.puts.filter(({ partNumber }) => partNumber === 2)[1]
    const concurrentPuts = sim.puts.filter(
      ({ at }) => at > sim.partMs + 1 && at < (secondPut?.at ?? 0),
    )
    expect(concurrentPuts.length).toBeGreaterThan(30)
    expect(sim.interruptions).toBe(0)
    expect(sim.storedParts.size).toBe(40)
  })

  test('is resent', async () => {
    const sim = simulateParts(2)
    sim.fault = failFirstAttempts(1, { kind: 'lost', cause: 'network', stored: false })
    await sim.run()
    expect(sentPartNumbers(sim).sort()).toEqual([1, 1, 2, 2])
    expect(sim.interruptions).toBeGreaterThan(0)
    // The reported progress drops by the number of bytes lost.
    expect(sim.progress.some((bytes, index) => bytes < (sim.progress[index - 1] ?? 0))).toBe(true)
  })

  test.each([
    [409, 'CHECKSUM_MISMATCH'],
    [400, 'BadDigest'],
  ])('is read again and resent if it arrived altered (%i %s)', async (status, code) => {
    const sim = simulateParts(2)
    let readCount = 0
    const { part } = sim.deps.checksums
    sim.deps.checksums = {
      part: (...args) => {
        readCount += 1
        return part(...args)
      },
    }
    sim.fault = failFirstAttempts(1, { kind: 'status', status, code }, (n) => n === 1)
    await sim.run()
    expect(sentPartNumbers(sim)).toEqual([1, 2, 1])
    expect(readCount).toBe(3)
  })

  test.each([
    [404, 'gone'],
    [410, 'gone'],
    [400, 'status'],
    [413, 'status'],
  ])('with %i ends the transfer as %s and leaves nothing running', async (status, kind) => {
    const sim = simulateParts(20)
    sim.fault = (n) => (n === 6 ? { kind: 'status', status } : null)
    expect(await transferErrorOf(sim.run())).toEqual({ kind, status })
    expect(sim.inFlight.size).toBe(0)
    expect(sim.puts.length).toBeLessThan(12)
  })

  test('is retried as long as the server is down, with a limit on the waits', async () => {
    const sim = simulateParts(20)
    const outageMs = 200 * maxWaitMs
    sim.fault = () => (sim.isReady ? null : { kind: 'status', status: 503 })
    sim.schedule(250, () => {
      sim.isReady = false
    })
    sim.schedule(outageMs, () => {
      sim.isReady = true
    })
    await sim.run()
    expect(sim.storedParts.size).toBe(20)
    expect(Math.max(...sim.delays)).toBe(maxWaitMs)
    expect(sim.interruptions).toBeGreaterThan(100)
    expect(sim.now()).toBeLessThan(outageMs + maxWaitMs + 1000)
  })

  test('is retried as long as the server is down, even if the part has no URL', async () => {
    const sim = simulateParts(6)
    sim.isReady = false
    sim.rejectSigning = () => (sim.isReady ? null : { status: null })
    sim.schedule(600_000, () => {
      sim.isReady = true
    })
    await sim.run()
    expect(sim.storedParts.size).toBe(6)
    expect(sim.now()).toBeLessThan(600_000 + maxWaitMs + 1000)
  })

  test('is given up after eight rounds without a stored part', async () => {
    const sim = simulateParts(10)
    sim.fault = () => ({ kind: 'status', status: 500 })
    expect(await transferErrorOf(sim.run())).toEqual({ kind: 'status', status: 500 })
    const maxAttemptsPerPart = Math.max(
      ...rangeTo(10).map((n) => sentPartNumbers(sim).filter((other) => other === n).length),
    )
    expect(maxAttemptsPerPart).toBe(maxAttempts)
    expect(Math.max(...sim.delays)).toBeGreaterThan(firstWaitMs)
    expect(Math.max(...sim.delays)).toBeLessThanOrEqual(maxWaitMs)
    expect(sim.interruptions).toBeGreaterThan(0)
  })

  test("doesn't end the upload while other parts succeed", async () => {
    const sim = simulateParts(400)
    sim.partMs = 5000
    sim.fault = failFirstAttempts(12, { kind: 'status', status: 500 }, (n) => n === 1)
    await sim.run()
    expect(sim.storedParts.size).toBe(400)
  })
})

describe('while offline', () => {
  test("attempts don't count, and the transfer continues once the browser reconnects", async () => {
    const sim = simulateParts(8)
    sim.schedule(150, () => {
      sim.isOnline = false
    })
    sim.schedule(3_600_000, sim.goOnline)
    await sim.run()
    expect(sim.storedParts.size).toBe(8)
    expect(sim.now()).toBeLessThan(3_600_000 + 1000)
    expect(sim.interruptions).toBeGreaterThan(0)
  })
})

describe('a part that times out', () => {
  test('closes its connection, and the last connection sends the rest', async () => {
    const sim = simulateParts(12)
    sim.fault = failFirstAttempts(
      1,
      { kind: 'lost', cause: 'timeout', stored: false },
      (n) => n <= 4,
    )
    await sim.run()
    expect(sentPartNumbers(sim).slice(0, 4)).toEqual([1, 2, 3, 4])
    const laterTimes = sim.puts.slice(4).map(({ at }) => at)
    expect(new Set(laterTimes).size).toBe(laterTimes.length)
    expect([sim.storedParts.size, sim.violations]).toEqual([12, []])
  })

  test('is retried if it uses the only connection', async () => {
    const sim = simulateParts(1)
    sim.fault = failFirstAttempts(3, { kind: 'lost', cause: 'timeout', stored: false })
    await sim.run()
    expect(sim.delays).toHaveLength(3)
    expect(sim.storedParts.size).toBe(1)
  })
})
