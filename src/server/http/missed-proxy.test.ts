import type { IncomingMessage } from 'node:http'
import { describe, expect, it } from 'vitest'
import { watchForProxy } from './missed-proxy.ts'

function requestFrom(remoteAddress: string, headers: Record<string, string>) {
  return { headers, socket: { remoteAddress } } as unknown as IncomingMessage
}

function watch() {
  const warned: unknown[] = []
  const look = watchForProxy({ warn: (facts: unknown) => void warned.push(facts) })
  return { warned, look }
}

const forwarded = { 'x-forwarded-for': '203.0.113.9' }

describe('a forwarded request', () => {
  it.each(['127.0.0.1', '10.1.2.3', '172.31.0.1', '192.168.0.7', '100.64.0.1', '::1', 'fd00::1'])(
    'of %s is told of once',
    (address) => {
      const { warned, look } = watch()
      look(requestFrom(address, forwarded))
      look(requestFrom(address, forwarded))
      expect(warned).toEqual([{ proxy: address }])
    },
  )

  it.each(['203.0.113.7', '172.32.0.1', '100.128.0.1', '2001:db8::1'])(
    'of %s is none of an own proxy: anybody can send that header',
    (address) => {
      const { warned, look } = watch()
      look(requestFrom(address, forwarded))
      expect(warned).toEqual([])
    },
  )
})

it('a request that was not forwarded is no sign of a proxy', () => {
  const { warned, look } = watch()
  look(requestFrom('127.0.0.1', {}))
  expect(warned).toEqual([])
})
