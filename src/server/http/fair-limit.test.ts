import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { FairLimit, type SharedLimit } from './limits.ts'

/**
 * Lets many clients take one unit at a time until all of them are refused. Returns how many units
 * the most successful client got.
 */
function maxShareOfOneClient(limit: SharedLimit, clientCount: number): number {
  const limiter = new FairLimit(limit)
  const countsByClient = Array.from({ length: clientCount }, () => 0)
  for (let rejectionCount = 0; rejectionCount < clientCount; ) {
    rejectionCount = 0
    for (const [client, count] of countsByClient.entries()) {
      if (limiter.take(`192.0.2.${client}`)) countsByClient[client] = count + 1
      else rejectionCount += 1
    }
  }
  return Math.max(...countsByClient)
}

describe('a limit shared by all clients', () => {
  it.each([
    [{ total: 512, guaranteed: 16 }, 1, 171],
    [{ total: 512, guaranteed: 16 }, 2, 128],
    [{ total: 512, guaranteed: 16 }, 8, 52],
    [{ total: 512, guaranteed: 16 }, 30, 16],
    [{ total: 256, guaranteed: 16 }, 1, 85],
    [{ total: 256, guaranteed: 16 }, 14, 16],
  ])('%j gives each of %i greedy clients %i', (limit, clientCount, expectedShare) => {
    expect(maxShareOfOneClient(limit, clientCount)).toBe(expectedShare)
  })

  it('is never exceeded, and guarantees each client its share while capacity is left', () => {
    const clients = fc.array(fc.nat(40), { maxLength: 2000 })
    fc.assert(
      fc.property(clients, (steps) => {
        const limit = { total: 100, guaranteed: 4 }
        const limiter = new FairLimit(limit)
        const countsByClient = new Map<number, number>()
        for (const client of steps) {
          const unitCountBefore = countsByClient.get(client) ?? 0
          const hasFreeUnits = limiter.used < limit.total
          const isGranted = limiter.take(`192.0.2.${client}`) !== null
          if (unitCountBefore < limit.guaranteed) expect(isGranted).toBe(hasFreeUnits)
          countsByClient.set(client, unitCountBefore + Number(isGranted))
          expect(limiter.used).toBeLessThanOrEqual(limit.total)
        }
      }),
    )
  })

  it('counts per IPv4 address and per /64 block of IPv6', () => {
    const limiter = new FairLimit({ total: 5, guaranteed: 1 })
    const releases = ['2001:db8::1', '2001:db8::2'].map((address) => limiter.take(address))
    expect(limiter.take('2001:db8::3')).toBeNull()
    for (const other of ['2001:db8:0:1::1', '::ffff:192.0.2.1', '192.0.2.3']) limiter.take(other)
    expect(limiter.used).toBe(5)
    expect(limiter.take('192.0.2.2')).toBeNull()
    for (const release of releases) release?.()
    expect(limiter.take('192.0.2.2')).not.toBeNull()
    expect(limiter.take('192.0.2.1')).toBeNull()
  })
})
