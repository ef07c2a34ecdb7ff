import { expect, test } from 'vitest'
import { mainActionOf, welcomeName } from './dashboard.tsx'

const facts = { hasNews: true, wantsTrial: true, hasKept: true }

test.each([
  ['to copy a new link, above all else', {}, 'copy'],
  ['the trial the user chose', { hasNews: false }, 'trial'],
  ['to upload the waiting files', { hasNews: false, wantsTrial: false }, 'upload'],
  ['to choose files', { hasNews: false, wantsTrial: false, hasKept: false }, 'choose'],
])('the main action is %s', (_, changes, action) => {
  expect(mainActionOf({ ...facts, ...changes })).toBe(action)
})

test.each([
  [{ firstName: 'Ada', email: 'lovelace@example.org' }, 'Ada'],
  [{ firstName: '', email: 'lovelace@example.org' }, 'lovelace'],
  [{ firstName: '  ', email: 'lovelace@example.org' }, 'lovelace'],
  [{ email: 'lovelace@example.org' }, 'lovelace'],
  [{ firstName: '', email: '@example.org' }, 'User'],
  [{ firstName: '', email: '' }, 'User'],
  [{}, 'User'],
])('welcomes %j as %s', (user, name) => {
  expect(welcomeName(user)).toBe(name)
})
