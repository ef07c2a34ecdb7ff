import { expect, test } from 'vitest'
import { deleteHint, readHint } from './hint-cookie.ts'

test.each([
  ['', null],
  ['mayfly.signed_in=abc', 'abc'],
  ['theme=dark; mayfly.signed_in=a_b-c; other=x', 'a_b-c'],
  ['not.mayfly.signed_in=abc', null],
  ['mayfly.signed_in=', ''],
])('with cookies %j, the hint is %j', (cookie, hint) => {
  expect(readHint({ cookie })).toBe(hint)
})

test('removes an outdated hint', () => {
  const browser = { cookie: 'mayfly.signed_in=old' }
  deleteHint(browser, 'old')
  expect(browser.cookie).toBe('mayfly.signed_in=; Max-Age=0; Path=/; SameSite=Lax')
})

test('keeps the hint of a newer session', () => {
  const browser = { cookie: 'mayfly.signed_in=new' }
  deleteHint(browser, 'old')
  expect(browser.cookie).toBe('mayfly.signed_in=new')
})
