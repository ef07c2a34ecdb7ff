import { expect, test } from 'vitest'
import { welcomeName } from './welcome-name.ts'

test.each([
  [{ firstName: 'Ada', email: 'lovelace@example.org' }, 'Ada'],
  [{ firstName: '', email: 'lovelace@example.org' }, 'lovelace'],
  [{ firstName: '  ', email: 'lovelace@example.org' }, 'lovelace'],
  [{ email: 'lovelace@example.org' }, 'lovelace'],
  [{ firstName: '', email: '@example.org' }, 'User'],
  [{ firstName: '', email: '' }, 'User'],
  [{}, 'User'],
])('%j is welcomed as %s', (user, name) => {
  expect(welcomeName(user)).toBe(name)
})
