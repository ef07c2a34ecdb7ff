import { describe, expect, test } from 'vitest'
import {
  partSize,
  rangeTo,
  sentPartNumbers,
  simulateParts,
} from '../../../../tests/support/parts-world.ts'
import { FileUnreadableError } from './hash-blob.ts'
import { maxConnections } from './send-parts.ts'

describe('parts without errors', () => {
  test('are sent once each, lowest number first', async () => {
    const sim = simulateParts(20, 19_500)
    await sim.run()
    expect(sentPartNumbers(sim)).toEqual(rangeTo(20))
    expect(sim.storedParts.get(20)).toBe(500)
    expect(sim.progress.at(-1)).toBe(19_500)
    expect([sim.delays, sim.violations]).toEqual([[], []])
  })

  test('are sent four at a time', async () => {
    const sim = simulateParts(19)
    await sim.run({ isResumed: false })
    expect(sim.peakConcurrency).toBe(maxConnections)
    expect(new Set(sim.puts.slice(0, 4).map(({ at }) => at)).size).toBe(1)
    expect(sentPartNumbers(sim)).toEqual(rangeTo(19))
    expect(sim.signedParts).toEqual([rangeTo(16), [17, 18, 19]])
    expect([sim.delays, sim.violations]).toEqual([[], []])
  })

  test('need no requests if storage has all of them', async () => {
    const sim = simulateParts(3)
    for (const partNumber of [1, 2, 3]) sim.storedParts.set(partNumber, partSize)
    await sim.run()
    expect([sim.puts, sim.signedParts]).toEqual([[], []])
    expect(sim.progress.at(-1)).toBe(3000)
  })
})

describe('cancelling', () => {
  test.each([50, 150, 3050])('after %i ms ends everything with the reason', async (ms) => {
    const sim = simulateParts(1000)
    const reason = new Error('Cancelled by user')
    if (ms > 1000) sim.fault = () => ({ kind: 'lost', cause: 'network', stored: false })
    sim.schedule(ms, () => sim.cancel.abort(reason))
    await expect(sim.run()).rejects.toBe(reason)
    expect(sim.inFlight.size).toBe(0)
    expect(sim.now()).toBe(ms)
  })

  test('beforehand sends nothing', async () => {
    const sim = simulateParts(3)
    const reason = new Error('Cancelled by user')
    sim.cancel.abort(reason)
    await expect(sim.run()).rejects.toBe(reason)
    expect([sim.puts, sim.signedParts]).toEqual([[], []])
  })
})

test('an unreadable file ends the transfer', async () => {
  const sim = simulateParts(9)
  const { part } = sim.deps.checksums
  let readCount = 0
  sim.deps.checksums = {
    part: (...args) => {
      readCount += 1
      return readCount === 6 ? Promise.reject(new FileUnreadableError(null)) : part(...args)
    },
  }
  await expect(sim.run()).rejects.toBeInstanceOf(FileUnreadableError)
  expect(sim.inFlight.size).toBe(0)
})
