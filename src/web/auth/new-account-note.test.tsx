// @vitest-environment happy-dom
import { cleanup, render, screen } from '@testing-library/react'
import { afterEach, expect, test } from 'vitest'
import { NewAccountNote, readNewAccount } from './new-account-note.tsx'

afterEach(cleanup)

test.each([
  null,
  'ada@example.org',
  {},
  // An older version of the page stored only the email address.
  { email: 'ada@example.org' },
  { email: 1, requiresVerification: true },
])('finds no account in the history state %j', (state) => {
  expect(readNewAccount(state)).toBeNull()
})

const noEmailText = 'This server sends no mail. Write to help@example.org to get it.'

test.each([
  [false, null, 'Your account is ready. Sign in with the password that you have just chosen.'],
  [
    false,
    noEmailText,
    'Your account is ready. Sign in with the password that you have just chosen.',
  ],
  [
    true,
    null,
    'We sent an email to ada@example.org. Open the link in it within 24 hours, then sign in here. Wrong address? Sign up again.',
  ],
  [
    true,
    noEmailText,
    `${noEmailText} Open the link in it within 24 hours, then sign in here. Wrong address? Sign up again.`,
  ],
])(
  'the note after a signup with requiresVerification %j and noEmailNote %j',
  (requiresVerification, noEmailNote, expectedText) => {
    const account = readNewAccount({ email: 'ada@example.org', requiresVerification })
    if (account === null) throw new Error('The account is lost.')
    render(
      <NewAccountNote account={account} noEmailNote={noEmailNote} signupLink="Sign up again" />,
    )
    expect(screen.getByRole('status').textContent).toBe(expectedText)
  },
)
