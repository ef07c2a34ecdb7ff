import { expect, it } from 'vitest'
import { readAuditSearch } from './audit-search.ts'

const shortCode = 'k7RmTq9XbW'

it.each([
  ['Grace@Navy.Example', { kind: 'email', email: 'grace@navy.example' }],
  [shortCode, { kind: 'link', shortCode }],
  [`https://files.example.org/s/${shortCode}`, { kind: 'link', shortCode }],
  [`/s/${shortCode}`, { kind: 'link', shortCode }],
  ['192.0.2.7', { kind: 'address', ipAddress: '192.0.2.7' }],
  ['::ffff:192.0.2.7', { kind: 'address', ipAddress: '192.0.2.7' }],
  ['2001:DB8:0:0:0:0:0:7', { kind: 'address', ipAddress: '2001:db8::7' }],
  ['[2001:db8::7]', { kind: 'address', ipAddress: '2001:db8::7' }],
  ['nJ5vGhQ2kLw8XyZt', { kind: 'user', id: 'nJ5vGhQ2kLw8XyZt' }],
  ['192.0.2.700', { kind: 'user', id: '192.0.2.700' }],
])('the audit log is searched for %s as what it is', (text, search) => {
  expect(readAuditSearch(text)).toEqual(search)
})
