import { describe, expect, it } from 'vitest'
import { isSignupAllowed, type SignupPolicy, signupDeniedText } from './signup-policy.ts'

const twoDomains = ['example.org', 'example.com']

describe('isSignupAllowed', () => {
  it.each<[SignupPolicy, string, boolean]>([
    ['open', 'ada@anywhere.net', true],
    ['closed', 'ada@example.org', false],
    [[], 'ada@example.org', false],
    [twoDomains, 'ada@example.org', true],
    [twoDomains, 'ada@example.com', true],
    [twoDomains, 'Ada@EXAMPLE.Org', true],
    [twoDomains, 'ada+tag@example.org', true],
    [twoDomains, 'ada@anywhere.net', false],
    [twoDomains, 'ada@sub.example.org', false],
    [twoDomains, 'ada@evil-example.org', false],
    [twoDomains, 'ada@example.org.evil.net', false],
    [twoDomains, 'ada@example.org@evil.net', false],
    [twoDomains, '@example.org@', false],
    [twoDomains, 'ada@example.org.', false],
    [twoDomains, 'ada@ехample.org', false],
    [twoDomains, '', false],
  ])("with the policy %j, for '%s', is %j", (policy, email, isAllowed) => {
    expect(isSignupAllowed(policy, email)).toBe(isAllowed)
  })
})

describe('signupDeniedText', () => {
  it.each<[SignupPolicy, string | null]>([
    ['open', null],
    ['closed', 'Signup is closed. Ask the administrator for an account.'],
    [['example.org'], 'Only addresses of example.org can sign up here.'],
    [twoDomains, 'Only addresses of example.org or example.com can sign up here.'],
  ])('for %j is %j', (policy, sentence) => {
    expect(signupDeniedText(policy)).toBe(sentence)
  })
})
