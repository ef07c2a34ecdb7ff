import { expect, test } from 'vitest'
import { welcomeName } from '../../shared/rules/accounts/names.ts'
import { selectMainAction } from './dashboard.tsx'

const state = { hasNewFiles: true, wantsTrial: true, hasKeptFiles: true }

test.each([
  ['to copy a new link, above all else', {}, 'copy'],
  ['the trial the user chose', { hasNewFiles: false }, 'trial'],
  ['to upload the waiting files', { hasNewFiles: false, wantsTrial: false }, 'upload'],
  ['to choose files', { hasNewFiles: false, wantsTrial: false, hasKeptFiles: false }, 'choose'],
])('the main action is %s', (_, changes, action) => {
  expect(selectMainAction({ ...state, ...changes })).toBe(action)
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
