import { expect, test } from 'vitest'
import { deletionEmailUrl } from './account-usage.tsx'

test('the deletion email names the account and escapes special characters in addresses', () => {
  const url = new URL(deletionEmailUrl('support+a&b@example.org', 'ada?cc=eve@example.org'))
  expect(decodeURIComponent(url.pathname)).toBe('support+a&b@example.org')
  expect([...url.searchParams.keys()]).toEqual(['subject', 'body'])
  expect(url.searchParams.get('subject')).toBe('Delete my account')
  expect(url.searchParams.get('body')).toContain('ada?cc=eve@example.org')
})
