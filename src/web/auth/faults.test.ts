import { expect, test } from 'vitest'
import { signupBody } from '../../shared/contract/account.ts'
import { faultsByField } from './faults.ts'

const good = {
  firstName: 'Ada',
  lastName: 'Lovelace',
  email: 'ada@example.org',
  password: 'secret',
  confirmPassword: 'secret',
}

const faults = (change: Partial<typeof good>) => {
  const values = { ...good, ...change }
  const parsed = signupBody.safeParse(values)
  return parsed.success ? {} : faultsByField(parsed.error.issues, values)
}

test.each<[string, Partial<typeof good>, Partial<typeof good>]>([
  ['a good form has none', {}, {}],
  ['an empty name', { firstName: ' ' }, { firstName: 'Please fill in this field.' }],
  [
    'a name that is too long',
    { lastName: 'x'.repeat(101) },
    { lastName: 'Please use at most 100 characters.' },
  ],
  ['an empty email', { email: '' }, { email: 'Please fill in this field.' }],
  ['no email', { email: 'ada@' }, { email: 'Please enter a valid email address.' }],
  [
    'a short password',
    { password: '12345', confirmPassword: '12345' },
    { password: 'Password must be at least 6 characters long.' },
  ],
  [
    'another confirmation',
    { confirmPassword: 'other' },
    { confirmPassword: 'Passwords do not match. Please try again.' },
  ],
  [
    'several at once',
    { firstName: '', password: '1', confirmPassword: '2' },
    {
      firstName: 'Please fill in this field.',
      password: 'Password must be at least 6 characters long.',
      confirmPassword: 'Passwords do not match. Please try again.',
    },
  ],
])('%s', (_, change, expected) => {
  expect(faults(change)).toEqual(expected)
})
