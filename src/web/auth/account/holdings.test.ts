import { expect, test } from 'vitest'
import { deletionEmailUrl } from './holdings.tsx'

test('the deletion email names the account and escapes special characters in addresses', () => {
  const address = new URL(deletionEmailUrl('support+a&b@example.org', 'ada?cc=eve@example.org'))
  expect(decodeURIComponent(address.pathname)).toBe('support+a&b@example.org')
  expect([...address.searchParams.keys()]).toEqual(['subject', 'body'])
  expect(address.searchParams.get('subject')).toBe('Delete my account')
  expect(address.searchParams.get('body')).toContain('ada?cc=eve@example.org')
})
