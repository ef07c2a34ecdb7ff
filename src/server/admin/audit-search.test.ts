import { expect, it } from 'vitest'
import { readAuditQuery } from './audit-search.ts'

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
  expect(readAuditQuery({ search: text })).toEqual({ search })
})

it.each([
  [{}, {}],
  [{ search: '' }, {}],
  [{ user: 'ada@example.org' }, { search: { kind: 'email', email: 'ada@example.org' } }],
  [
    { user: 'ada@example.org', search: '' },
    { search: { kind: 'email', email: 'ada@example.org' } },
  ],
  [{ from: '2026-11-19T00:00:00Z' }, { from: new Date('2026-11-19T00:00:00Z') }],
  [{ to: '2026-11-19T00:00:00Z' }, { to: new Date('2026-11-19T00:00:00Z') }],
])('the query %j asks for %j', (query, wanted) => {
  expect(readAuditQuery(query)).toEqual(wanted)
})

it('refuses two searches at once', () => {
  const refusal = expect.objectContaining({ code: 'INVALID_INPUT' })
  expect(() => readAuditQuery({ user: 'ada@example.org', search: '192.0.2.1' })).toThrow(refusal)
})
