import { describe, expect, it } from 'vitest'
import { readRole, roles } from './role.ts'

describe('readRole', () => {
  it.each(roles)('knows %s', (role) => {
    expect(readRole(role)).toBe(role)
  })

  it.each(['', 'Admin', 'owner', 'constructor'])('takes %j for no other role', (stored) => {
    expect(() => readRole(stored)).toThrow(RangeError)
  })
})
