import { expect, it } from 'vitest'
import { mailWaits } from './use-mail-waits.ts'

it('says nothing where the server sends mail', () => {
  expect(mailWaits({ sendsMail: true, supportEmail: 'help@example.org' })).toBeNull()
})

it.each([
  ['help@example.org', 'Write to help@example.org for it.'],
  [null, 'Ask its operator for it.'],
  [undefined, 'Ask its operator for it.'],
])('without mail and with the address %j for help, it says whom to ask', (supportEmail, says) => {
  const text = mailWaits({ sendsMail: false, supportEmail })
  expect(text).toBe(`This server doesn't send email. ${says}`)
})
