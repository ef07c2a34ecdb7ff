import { describe, expect, test } from 'vitest'
import {
  type Fault,
  failureOf,
  firstTries,
  from1To,
  sentNumbers,
  simulateParts,
} from '../../../../tests/support/parts-world.ts'
import { firstWaitMs, longestAskedMs, longestWaitMs, uploadLimit } from './retry-policy.ts'

describe('a part that fails', () => {
  test('is tried again after a wait by its own connection, while the others go on', async () => {
    const sim = simulateParts(40)
    sim.partMs = firstWaitMs / 30
    sim.fault = firstTries(1, { kind: 'status', status: 500 }, (n) => n === 2)
    await sim.run()
    expect(sim.waits).toEqual([firstWaitMs])
    const second = sim.puts.filter(({ partNumber }) => partNumber === 2)[1]
    const meanwhile = sim.puts.filter(({ at }) => at > sim.partMs + 1 && at < (second?.at ?? 0))
    expect(meanwhile.length).toBeGreaterThan(30)
    expect(sim.interruptions).toBe(0)
    expect(sim.held.size).toBe(40)
  })

  test.each(['network', 'timeout', 'stalled'] as const)(
    'is not sent again where only the answer was lost (%s)',
    async (how) => {
      const sim = simulateParts(4)
      sim.fault = firstTries(1, { kind: 'lost', how, stored: true })
      await sim.run()
      expect(sentNumbers(sim)).toEqual([1, 2, 3, 4])
      expect(sim.asked).toHaveLength(4)
      expect(sim.mistakes).toEqual([])
    },
  )

  test('is asked after, and sent again where it did not arrive', async () => {
    const sim = simulateParts(2)
    sim.fault = firstTries(1, { kind: 'lost', how: 'network', stored: false })
    await sim.run()
    expect(sentNumbers(sim).sort()).toEqual([1, 1, 2, 2])
    expect(sim.interruptions).toBeGreaterThan(0)
    // The shown progress falls by the bytes that were lost.
    expect(sim.progress.some((bytes, at) => bytes < (sim.progress[at - 1] ?? 0))).toBe(true)
  })

  test('waits as long as Retry-After asks, within reason, and nobody asks for what was turned away', async () => {
    const sim = simulateParts(2)
    const asks: Fault[] = [
      { kind: 'status', status: 503, retryAfterMs: 20_000 },
      { kind: 'status', status: 429, retryAfterMs: 86_400_000 },
    ]
    sim.fault = (partNumber) => (partNumber === 1 ? (asks.shift() ?? null) : null)
    await sim.run()
    expect(sim.waits).toEqual([20_000, longestAskedMs])
    expect(sim.asked).toEqual([])
  })

  test.each([
    [409, 'CHECKSUM_MISMATCH'],
    [400, 'BadDigest'],
  ])('because it arrived altered (%i %s) is read and sent again', async (status, code) => {
    const sim = simulateParts(2)
    let reads = 0
    const { part } = sim.deps.checksums
    sim.deps.checksums = {
      part: (...args) => {
        reads += 1
        return part(...args)
      },
    }
    sim.fault = firstTries(1, { kind: 'status', status, code }, (n) => n === 1)
    await sim.run()
    expect(sentNumbers(sim)).toEqual([1, 2, 1])
    expect(reads).toBe(3)
    expect(sim.asked).toEqual([])
  })

  test('because it always arrives altered fails, although others get through', async () => {
    const sim = simulateParts(200)
    sim.fault = (n) => (n === 3 ? { kind: 'status', status: 409, code: 'CHECKSUM_MISMATCH' } : null)
    expect(await failureOf(sim.run())).toEqual({ kind: 'status', status: 409 })
    expect(sentNumbers(sim).filter((n) => n === 3)).toHaveLength(6)
  })

  test.each([
    [404, 'gone'],
    [410, 'gone'],
    [400, 'status'],
    [413, 'status'],
  ])('with %i ends everything as %s, with nothing left running', async (status, kind) => {
    const sim = simulateParts(20)
    sim.fault = (n) => (n === 6 ? { kind: 'status', status } : null)
    expect(await failureOf(sim.run())).toEqual({ kind, status })
    expect(sim.underWay.size).toBe(0)
    expect(sim.puts.length).toBeLessThan(12)
  })

  test('is not given up while the server is away, however long, and the waits grow no further', async () => {
    const sim = simulateParts(20)
    const longMs = 200 * longestWaitMs
    sim.fault = () => (sim.ready ? null : { kind: 'status', status: 503 })
    sim.at(250, () => {
      sim.ready = false
    })
    sim.at(longMs, () => {
      sim.ready = true
    })
    await sim.run()
    expect(sim.held.size).toBe(20)
    expect(Math.max(...sim.waits)).toBe(longestWaitMs)
    expect(sim.interruptions).toBeGreaterThan(100)
    expect(sim.now()).toBeLessThan(longMs + longestWaitMs + 1000)
  })

  test.each(['sign', 'list'] as const)(
    'for want of an answer to a call (%s) is not given up either while the server is away',
    async (which) => {
      const sim = simulateParts(6)
      sim.ready = false
      sim.refuse = (call) => (call === which && !sim.ready ? { status: null } : null)
      const lost: Fault = { kind: 'lost', how: 'network', stored: false }
      if (which === 'list') sim.fault = firstTries(1, lost)
      sim.at(600_000, () => {
        sim.ready = true
      })
      await sim.run()
      expect(sim.held.size).toBe(6)
      expect(sim.now()).toBeLessThan(600_000 + longestWaitMs + 1000)
    },
  )

  test('is given up after eight rounds in which no part was stored', async () => {
    const sim = simulateParts(10)
    sim.fault = () => ({ kind: 'status', status: 500 })
    expect(await failureOf(sim.run())).toEqual({ kind: 'status', status: 500 })
    const mostOfOnePart = Math.max(
      ...from1To(10).map((n) => sentNumbers(sim).filter((other) => other === n).length),
    )
    expect(mostOfOnePart).toBe(uploadLimit.maxTries)
    expect(Math.max(...sim.waits)).toBeGreaterThan(firstWaitMs)
    expect(Math.max(...sim.waits)).toBeLessThanOrEqual(longestWaitMs)
    expect(sim.interruptions).toBeGreaterThan(0)
  })

  test('again and again does not end the upload while others get through', async () => {
    const sim = simulateParts(400)
    sim.partMs = 5000
    sim.fault = firstTries(12, { kind: 'status', status: 500 }, (n) => n === 1)
    await sim.run()
    expect(sim.held.size).toBe(400)
  })

  test('with more patience each time where it only stalls', async () => {
    const sim = simulateParts(1)
    sim.fault = firstTries(6, { kind: 'lost', how: 'stalled', stored: false })
    await sim.run()
    expect(sim.puts.map(({ request }) => (request.stallMs ?? 0) / 1000)).toEqual([
      30, 60, 120, 240, 480, 600, 600,
    ])
  })

  test('for want of time leaves half as many in flight', async () => {
    const sim = simulateParts(4)
    sim.partMs = 600_000
    sim.fault = firstTries(1, { kind: 'lost', how: 'timeout', stored: false })
    await sim.run()
    const later = sim.puts.slice(4)
    expect(later.filter(({ at }) => at === later[0]?.at).length).toBeLessThanOrEqual(2)
    expect(sim.held.size).toBe(4)
  })

  test('spreads its waits, so that what failed together does not come back together', async () => {
    const sim = simulateParts(4)
    let draws = 0
    sim.deps.random = () => {
      draws += 1
      return (draws % 4) / 4
    }
    sim.fault = firstTries(1, { kind: 'lost', how: 'network', stored: false })
    await sim.run()
    expect(new Set(sim.waits).size).toBe(4)
    expect(Math.min(...sim.waits)).toBeGreaterThanOrEqual(firstWaitMs)
    expect(Math.max(...sim.waits)).toBeLessThan(1.3 * firstWaitMs)
  })
})

describe('a part that storage has lost', () => {
  test('is sent again, and progress falls back', async () => {
    const sim = simulateParts(12)
    let forgets = true
    sim.fault = (n) => {
      if (n !== 9 || !forgets) return null
      forgets = false
      return { kind: 'forgets' }
    }
    await sim.run()
    expect(sentNumbers(sim).filter((n) => n === 1)).toHaveLength(2)
    expect(sim.held.size).toBe(12)
    expect(sim.progress.at(-1)).toBe(12_000)
  })
})

describe('offline', () => {
  test('no try counts; it goes on at once when the browser is back', async () => {
    const sim = simulateParts(8)
    sim.at(150, () => {
      sim.online = false
    })
    sim.at(3_600_000, sim.goOnline)
    await sim.run()
    expect(sim.held.size).toBe(8)
    expect(sim.waits).toEqual([])
    expect(sim.puts.filter(({ at }) => at > 300 && at < 3_600_000)).toEqual([])
    expect(sim.now()).toBeLessThan(3_600_000 + 1000)
    expect(sim.interruptions).toBeGreaterThan(0)
  })
})

test('a part that another connection takes keeps its history, so that its waits go on growing', async () => {
  const sim = simulateParts(4)
  // The four parts time out together. That halves the number of connections to two, which then send
  // all four parts.
  const first = firstTries(1, { kind: 'lost', how: 'timeout', stored: false })
  const second = firstTries(1, { kind: 'lost', how: 'network', stored: false }, (part) => part < 3)
  sim.fault = (part) => first(part) ?? second(part)
  await sim.run()
  expect(sentNumbers(sim)).toEqual([1, 2, 3, 4, 3, 4, 1, 2, 1, 2])
  const [firstWait = Infinity, ...others] = sim.waits
  expect(others.slice(0, 3)).toEqual([firstWait, firstWait, firstWait])
  for (const later of others.slice(3)) expect(later).toBeGreaterThan(firstWait)
})
