import { describe, expect, it, test } from 'vitest'
import { hideToken, readToken, type TokenPlace } from './address-token.ts'

/** Makes a page at a URL. As in a browser, it can replace its URL. */
function pageAt(address: string, state: unknown = null) {
  const here = () => new URL(page.address, 'https://files.example.org')
  const page = {
    address,
    location: {
      get pathname() {
        return here().pathname
      },
      get search() {
        return here().search
      },
      get hash() {
        return here().hash
      },
    },
    history: {
      state,
      replaceState(next: unknown, _: string, url?: string | URL | null) {
        page.history.state = next
        page.address = String(url)
      },
    },
  }
  return page satisfies TokenPlace & { address: string }
}

test.each([
  ['/reset-password?token=abc', null, 'abc'],
  ['/reset-password?token=', null, ''],
  ['/reset-password', null, ''],
  ['/reset-password', { token: 'kept' }, 'kept'],
  ['/reset-password?token=new', { token: 'kept' }, 'new'],
  ['/reset-password', { token: 7 }, ''],
  ['/reset-password#token=abc', null, ''],
])('at %s with the state %j the token is %j', (address, state, token) => {
  expect(readToken(pageAt(address, state))).toBe(token)
})

describe('hiding the token', () => {
  it('takes it out of the address, and a reload still finds it', () => {
    const page = pageAt('/reset-password?a=1&token=abc&b=2#c', { email: 'x' })
    hideToken(page, 'abc')
    expect(page.address).toBe('/reset-password?a=1&b=2#c')
    expect(page.history.state).toEqual({ email: 'x', token: 'abc' })
    expect(readToken(page)).toBe('abc')
  })

  it('leaves no trailing question mark, and may be done twice', () => {
    const page = pageAt('/verify-email?token=abc')
    for (const _ of [1, 2]) hideToken(page, 'abc')
    expect(page.address).toBe('/verify-email')
    expect(readToken(page)).toBe('abc')
  })

  it('forgets it when it is of no more use', () => {
    const page = pageAt('/reset-password', { token: 'abc', email: 'x' })
    hideToken(page, null)
    expect(page.history.state).toEqual({ email: 'x' })
    expect(readToken(page)).toBe('')
  })
})
