import { expect, test } from 'vitest'
import { dropHint, readHint } from './hint-cookie.ts'

test.each([
  ['', null],
  ['mayfly.signed_in=abc', 'abc'],
  ['theme=dark; mayfly.signed_in=a_b-c; other=x', 'a_b-c'],
  ['not.mayfly.signed_in=abc', null],
  ['mayfly.signed_in=', ''],
])('in the cookies %j the hint is %j', (cookie, hint) => {
  expect(readHint({ cookie })).toBe(hint)
})

test('a hint that turned out to be wrong is removed', () => {
  const browser = { cookie: 'mayfly.signed_in=old' }
  dropHint(browser, 'old')
  expect(browser.cookie).toBe('mayfly.signed_in=; Max-Age=0; Path=/; SameSite=Lax')
})

test('the hint of a session that was opened meanwhile stays', () => {
  const browser = { cookie: 'mayfly.signed_in=new' }
  dropHint(browser, 'old')
  expect(browser.cookie).toBe('mayfly.signed_in=new')
})
