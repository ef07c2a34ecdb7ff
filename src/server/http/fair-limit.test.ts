import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { FairLimit, type SharedLimit } from './limits.ts'

/** Lets many clients take one at a time until all are refused. Returns the largest share. */
function mostOfOne(limit: SharedLimit, clients: number): number {
  const fair = new FairLimit(limit)
  const taken = Array.from({ length: clients }, () => 0)
  for (let refused = 0; refused < clients; ) {
    refused = 0
    for (const [client, count] of taken.entries()) {
      if (fair.take(`192.0.2.${client}`)) taken[client] = count + 1
      else refused += 1
    }
  }
  return Math.max(...taken)
}

describe('a limit shared by all clients', () => {
  it.each([
    [{ total: 512, always: 16 }, 1, 171],
    [{ total: 512, always: 16 }, 2, 128],
    [{ total: 512, always: 16 }, 8, 52],
    [{ total: 512, always: 16 }, 30, 16],
    [{ total: 256, always: 16 }, 1, 85],
    [{ total: 256, always: 16 }, 14, 16],
  ])('%j gives each of %i greedy clients %i', (limit, clients, each) => {
    expect(mostOfOne(limit, clients)).toBe(each)
  })

  it('is never exceeded and guarantees each client its share while any is free', () => {
    const clients = fc.array(fc.nat(40), { maxLength: 2000 })
    fc.assert(
      fc.property(clients, (steps) => {
        const limit = { total: 100, always: 4 }
        const fair = new FairLimit(limit)
        const taken = new Map<number, number>()
        for (const client of steps) {
          const before = taken.get(client) ?? 0
          const hasFree = fair.used < limit.total
          const given = fair.take(`192.0.2.${client}`) !== null
          if (before < limit.always) expect(given).toBe(hasFree)
          taken.set(client, before + Number(given))
          expect(fair.used).toBeLessThanOrEqual(limit.total)
        }
      }),
    )
  })

  it('counts per IPv4 address and per /64 block of IPv6', () => {
    const fair = new FairLimit({ total: 5, always: 1 })
    const ends = ['2001:db8::1', '2001:db8::2'].map((address) => fair.take(address))
    expect(fair.take('2001:db8::3')).toBeNull()
    for (const other of ['2001:db8:0:1::1', '::ffff:192.0.2.1', '192.0.2.3']) fair.take(other)
    expect(fair.used).toBe(5)
    expect(fair.take('192.0.2.2')).toBeNull()
    for (const end of ends) end?.()
    expect(fair.take('192.0.2.2')).not.toBeNull()
    expect(fair.take('192.0.2.1')).toBeNull()
  })
})
