// @vitest-environment happy-dom
import { afterEach, describe, expect, it, test } from 'vitest'
import { hideToken, readToken } from './url-token.ts'

afterEach(() => window.history.replaceState(null, '', '/'))

function openPath(path: string, state: unknown = null) {
  window.history.replaceState(state, '', path)
}

function getCurrentPath(): string {
  const { pathname, search, hash } = window.location
  return pathname + search + hash
}

test.each([
  ['/reset-password?token=abc', null, 'abc'],
  ['/reset-password?token=', null, ''],
  ['/reset-password', null, ''],
  ['/reset-password', { token: 'kept' }, 'kept'],
  ['/reset-password?token=new', { token: 'kept' }, 'new'],
  ['/reset-password', { token: 7 }, ''],
  ['/reset-password#token=abc', null, ''],
])('at %s with history state %j, the token is %j', (path, state, token) => {
  openPath(path, state)
  expect(readToken()).toBe(token)
})

describe('hiding the token', () => {
  it('removes it from the URL and keeps it across a reload', () => {
    openPath('/reset-password?a=1&token=abc&b=2#c', { email: 'x' })
    hideToken('abc')
    expect(getCurrentPath()).toBe('/reset-password?a=1&b=2#c')
    expect(window.history.state).toEqual({ email: 'x', token: 'abc' })
    expect(readToken()).toBe('abc')
  })

  it('leaves no trailing question mark and can be repeated', () => {
    openPath('/verify-email?token=abc')
    for (const _ of [1, 2]) hideToken('abc')
    expect(getCurrentPath()).toBe('/verify-email')
    expect(readToken()).toBe('abc')
  })

  it('discards it if called with null', () => {
    openPath('/reset-password', { token: 'abc', email: 'x' })
    hideToken(null)
    expect(window.history.state).toEqual({ email: 'x' })
    expect(readToken()).toBe('')
  })
})
