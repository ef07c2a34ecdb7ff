import { expect, it } from 'vitest'
import { upgradeMailAddress } from './upgrade-mail.ts'

it('writes to support, and names the account whatever its address holds', () => {
  const mail = new URL(
    upgradeMailAddress('help+desk@files.example', 'a&b?c=d@x.example', 'Premium'),
  )
  expect(decodeURIComponent(mail.pathname)).toBe('help+desk@files.example')
  expect(mail.searchParams.get('subject')).toBe('Upgrade to Premium')
  expect(mail.searchParams.get('body')).toBe(
    'Please switch my account to Premium: a&b?c=d@x.example\r\n',
  )
})
