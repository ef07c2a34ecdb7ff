import { expect, test } from 'vitest'
import { initials } from './user-avatar.tsx'

test.each([
  ['Ada Lovelace', 'AL'],
  ['ada king lovelace', 'AL'],
  ['  Ada   ', 'A'],
  ['Élodie Ångström', 'ÉÅ'],
  ['e\u0301lodie x', 'E\u0301X'],
  ['ليلى أحمد', 'لأ'],
  ['👩‍🚀 Star', '👩‍🚀S'],
  ['ß', 'SS'],
  ['', 'M'],
  ['   ', 'M'],
])('the initials of %j are %j', (name, expected) => {
  expect(initials({ name, email: 'mia@example.org' })).toBe(expected)
})

test('falls back to a question mark without name and email', () => {
  expect(initials({ name: '', email: '' })).toBe('?')
})
