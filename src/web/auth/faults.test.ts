import { expect, test } from 'vitest'
import { signupBody } from '../../shared/contract/account.ts'
import { faultsByField, faultsInMessage } from './faults.ts'

const good = {
  firstName: 'Ada',
  lastName: 'Lovelace',
  email: 'ada@example.org',
  password: 'secret',
  confirmPassword: 'secret',
}

function faults(change: Partial<typeof good>) {
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
    { password: 'This password is too short.' },
  ],
  [
    'another confirmation',
    { confirmPassword: 'other' },
    { confirmPassword: 'This is not the password above.' },
  ],
  [
    'several at once',
    { firstName: '', password: '1', confirmPassword: '2' },
    {
      firstName: 'Please fill in this field.',
      password: 'This password is too short.',
      confirmPassword: 'This is not the password above.',
    },
  ],
])('%s', (_, change, expected) => {
  expect(faults(change)).toEqual(expected)
})

test("the server's faults are found by their fields, the first of each", () => {
  const names = ['email', 'password'] as const
  const found = (message: string) => faultsInMessage(message, names)
  expect(found('email: Invalid: no @; or two; password: Too short')).toEqual({
    email: 'Invalid: no @; or two',
    password: 'Too short',
  })
  expect(found('email: First; email: Second; tier: Unknown')).toEqual({ email: 'First' })
  expect(found('The body is not valid JSON.')).toEqual({})
})
