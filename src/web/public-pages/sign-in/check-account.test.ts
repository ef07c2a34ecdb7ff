import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { account, signupBody } from '../../../shared/contract/account.ts'
import { toFieldErrors } from '../../auth/use-auth-form.ts'
import { checkLogin, checkResetEmail, checkSignup } from './check-account.ts'

const anyEmail = fc.oneof(
  fc.emailAddress(),
  fc.emailAddress().map((email) => ` ${email} `),
  fc.string(),
  fc.constantFrom(
    '',
    ' ',
    'ada@',
    'ada@example',
    `${'a'.repeat(250)}@example.org`,
    'ä@example.org',
  ),
)
const anyText = fc.oneof(
  fc.string({ maxLength: 140 }),
  fc.string({ unit: 'binary', maxLength: 8 }),
  fc.constantFrom(
    '',
    ' ',
    'a\0b',
    '\ud800',
    '\u200b',
    'x\u202ey',
    'x'.repeat(101),
    'x'.repeat(129),
  ),
)

describe('the forms accept exactly what the server accepts', () => {
  it('login', () => {
    fc.assert(
      fc.property(anyEmail, anyText, (email, password) => {
        const { success } = account.login.body.safeParse({ email, password })
        expect(Object.keys(checkLogin({ email, password })).length === 0).toBe(success)
      }),
    )
  })

  it('password reset', () => {
    fc.assert(
      fc.property(anyEmail, (email) => {
        const { success } = account.forgotPassword.body.safeParse({ email })
        expect(Object.keys(checkResetEmail({ email })).length === 0).toBe(success)
      }),
    )
  })

  it('signup', () => {
    const anySignup = fc
      .record({
        firstName: anyText,
        lastName: anyText,
        email: anyEmail,
        password: anyText,
        otherPassword: fc.option(anyText),
      })
      .map(({ otherPassword, ...values }) => ({
        ...values,
        confirmPassword: otherPassword ?? values.password,
      }))
    fc.assert(
      fc.property(anySignup, (values) => {
        const { success } = signupBody.safeParse(values)
        expect(Object.keys(checkSignup(values)).length === 0).toBe(success)
      }),
    )
  })
})

const validValues = {
  firstName: 'Ada',
  lastName: 'Lovelace',
  email: 'ada@example.org',
  password: 'secret',
  confirmPassword: 'secret',
}

it.each<[string, Partial<typeof validValues>, Partial<typeof validValues>]>([
  ['valid', {}, {}],
  ['an empty name', { firstName: ' ' }, { firstName: 'Please fill in this field.' }],
  [
    'a name that is too long',
    { lastName: 'x'.repeat(101) },
    { lastName: 'Please use at most 100 characters.' },
  ],
  ['an empty email', { email: '' }, { email: 'Please fill in this field.' }],
  ['an invalid email', { email: 'ada@' }, { email: 'Please enter a valid email address.' }],
  [
    'a short password',
    { password: '12345', confirmPassword: '12345' },
    { password: 'This password is too short.' },
  ],
  [
    "passwords that don't match",
    { confirmPassword: 'other' },
    { confirmPassword: "The passwords don't match." },
  ],
  [
    'several at once',
    { firstName: '', password: '1', confirmPassword: '2' },
    {
      firstName: 'Please fill in this field.',
      password: 'This password is too short.',
      confirmPassword: "The passwords don't match.",
    },
  ],
])('field errors, here and in the forms of the app: %s', (_, changes, expected) => {
  const values = { ...validValues, ...changes }
  expect(checkSignup(values)).toEqual(expected)
  expect(toFieldErrors(signupBody.safeParse(values).error?.issues ?? [], values)).toEqual(expected)
})
