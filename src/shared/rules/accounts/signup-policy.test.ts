import { describe, expect, it } from 'vitest'
import { isSignupAllowed, type SignupPolicy, signupRefusal } from './signup-policy.ts'

const two = ['example.org', 'example.com']

describe('isSignupAllowed', () => {
  it.each<[SignupPolicy, string, boolean]>([
    ['open', 'ada@anywhere.net', true],
    ['closed', 'ada@example.org', false],
    [[], 'ada@example.org', false],
    [two, 'ada@example.org', true],
    [two, 'ada@example.com', true],
    [two, 'Ada@EXAMPLE.Org', true],
    [two, 'ada+tag@example.org', true],
    [two, 'ada@anywhere.net', false],
    [two, 'ada@sub.example.org', false],
    [two, 'ada@evil-example.org', false],
    [two, 'ada@example.org.evil.net', false],
    [two, 'ada@example.org@evil.net', false],
    [two, '@example.org@', false],
    [two, 'ada@example.org.', false],
    [two, 'ada@ехample.org', false],
    [two, '', false],
  ])('with %j, %s: %j', (policy, email, isAllowed) => {
    expect(isSignupAllowed(policy, email)).toBe(isAllowed)
  })
})

describe('signupRefusal', () => {
  it.each<[SignupPolicy, string | null]>([
    ['open', null],
    ['closed', 'Sign-up is closed. Ask the administrator for an account.'],
    [['example.org'], 'Only addresses of example.org can sign up here.'],
    [two, 'Only addresses of example.org or example.com can sign up here.'],
  ])('for %j is %j', (policy, sentence) => {
    expect(signupRefusal(policy)).toBe(sentence)
  })
})
