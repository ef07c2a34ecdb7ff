import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Ceiling, FairLimit, mayOpen } from './limits.ts'

/**
 * Returns how many one client gets at most if this many clients all ask again and again.
 */
function most({ total, always }: Ceiling, clients: number): number {
  const held = Array.from({ length: clients }, () => 0)
  let all = 0
  for (let refused = 0; refused < clients; ) {
    refused = 0
    for (const [client, ofClient] of held.entries()) {
      if (mayOpen({ total, always }, { all, ofClient })) {
        held[client] = ofClient + 1
        all += 1
      } else refused += 1
    }
  }
  return Math.max(...held)
}

describe('a ceiling that all clients share', () => {
  it.each([
    [{ total: 512, always: 16 }, 1, 171],
    [{ total: 512, always: 16 }, 2, 128],
    [{ total: 512, always: 16 }, 8, 52],
    [{ total: 512, always: 16 }, 30, 16],
    [{ total: 256, always: 16 }, 1, 85],
    [{ total: 256, always: 16 }, 14, 16],
  ])('%j gives each of %i greedy clients %i', (ceiling, clients, each) => {
    expect(most(ceiling, clients)).toBe(each)
  })

  it('is never passed, and gives every client its part while there is room', () => {
    const clients = fc.array(fc.nat(40), { maxLength: 2000 })
    fc.assert(
      fc.property(clients, (steps) => {
        const ceiling = { total: 100, always: 4 }
        const held = new Map<number, number>()
        let all = 0
        for (const client of steps) {
          const ofClient = held.get(client) ?? 0
          const may = mayOpen(ceiling, { all, ofClient })
          if (ofClient < ceiling.always) expect(may).toBe(all < ceiling.total)
          held.set(client, ofClient + Number(may))
          all += Number(may)
          expect(all).toBeLessThanOrEqual(ceiling.total)
        }
      }),
    )
  })

  it('counts what is open, by IPv4 address and by the /64 of IPv6', () => {
    const ceiling = new FairLimit({ total: 5, always: 1 })
    const ends = ['2001:db8::1', '2001:db8::2'].map((address) => ceiling.take(address))
    expect(ceiling.take('2001:db8::3')).toBeNull()
    for (const other of ['2001:db8:0:1::1', '::ffff:192.0.2.1', '192.0.2.3']) ceiling.take(other)
    expect(ceiling.open).toBe(5)
    expect(ceiling.take('192.0.2.2')).toBeNull()
    for (const end of ends) end?.()
    expect(ceiling.take('192.0.2.2')).not.toBeNull()
    expect(ceiling.take('192.0.2.1')).toBeNull()
  })
})
