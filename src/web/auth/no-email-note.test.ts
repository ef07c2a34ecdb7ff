import { expect, it } from 'vitest'
import { noEmailNote } from './no-email-note.ts'

it('returns null if the server sends email', () => {
  expect(noEmailNote({ sendsMail: true, supportEmail: 'help@example.org' })).toBeNull()
})

it.each([
  ['help@example.org', 'Write to help@example.org for the link.'],
  [null, 'Ask its operator for the link.'],
  [undefined, 'Ask its operator for the link.'],
])('says whom to contact if the support address is %j', (supportEmail, expectedText) => {
  const text = noEmailNote({ sendsMail: false, supportEmail })
  expect(text).toBe(`This server doesn't send email. ${expectedText}`)
})
