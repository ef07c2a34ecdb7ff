import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createOptOutToken, hashAddress, readOptOutToken } from './opt-out.ts'

const text = fc.string({ minLength: 1 })

it('a token leads to the hash of its address, in any case', () => {
  fc.assert(
    fc.property(text, fc.emailAddress(), (secret, address) => {
      const token = createOptOutToken(secret, address.toUpperCase())
      expect(readOptOutToken(secret, token)).toBe(hashAddress(secret, address))
      expect(token).toMatch(/^[\w-]{43}\.[\w-]{43}$/)
    }),
  )
})

it('a made-up token, or one of another server, leads nowhere', () => {
  fc.assert(
    fc.property(text, fc.emailAddress(), text, (secret, address, other) => {
      const hash = hashAddress(secret, address)
      for (const token of [other, hash, `${hash}.`, `${hash}.${hash}`, `.${hash}`, ''])
        expect(readOptOutToken(secret, token)).toBeNull()
      fc.pre(secret !== other)
      expect(readOptOutToken(other, createOptOutToken(secret, address))).toBeNull()
    }),
  )
})
