// @vitest-environment happy-dom
import { act, fireEvent, screen } from '@testing-library/react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import {
  delayedResponse,
  errorResponse,
  openPage,
  type WebPage,
} from '../../../tests/support/web-page.ts'
import type { SignupPolicy } from '../../shared/rules/accounts/signup-policy.ts'
import type { NewAccount } from './new-account-note.tsx'
import { SignupForm } from './signup-form.tsx'

let page: WebPage
let createdAccounts: NewAccount[]
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  page = openPage()
  createdAccounts = []
})
afterEach(() => {
  page.close()
  vi.useRealTimers()
})

/** Waits for pending responses. */
async function settle() {
  for (let step = 0; step < 20; step += 1) await act(() => vi.advanceTimersByTimeAsync(1))
}

const fieldValues = {
  'First name': 'Ada',
  'Last name': 'Lovelace',
  Email: 'ada@example.org',
  Password: 'secret',
  'Confirm password': 'secret',
}

interface FormOptions {
  policy?: SignupPolicy
  noEmailNote?: string | null
}

async function submitSignup(changes: Partial<typeof fieldValues> = {}, options: FormOptions = {}) {
  const { policy = 'open', noEmailNote = null } = options
  page.show(
    <SignupForm
      policy={policy}
      noEmailNote={noEmailNote}
      onDone={(account) => createdAccounts.push(account)}
    />,
  )
  for (const [label, value] of Object.entries({ ...fieldValues, ...changes })) {
    fireEvent.change(screen.getByLabelText(label), { target: { value } })
  }
  fireEvent.click(screen.getByRole('button', { name: 'Sign Up' }))
  await settle()
}

function respondToSignup(requiresVerification: boolean) {
  page.on('POST /api/auth/signup', () => ({ message: 'Done.', requiresVerification }))
}

const mismatchText = 'Password mismatchPasswords do not match. Please try again.'
const tooShortText = 'Password too shortPassword must be at least 6 characters long.'

test.each([
  ['two passwords that differ', { 'Confirm password': 'secrets' }, mismatchText],
  ['two short passwords that differ', { Password: 'a', 'Confirm password': 'b' }, mismatchText],
  ['a short password', { Password: 'abcde', 'Confirm password': 'abcde' }, tooShortText],
])('%s: shows a toast and sends nothing', async (_, changes, toast) => {
  await submitSignup(changes)
  expect(screen.getByRole('alert').textContent).toBe(toast)
  expect([page.requests, createdAccounts]).toEqual([[], []])
})

test('an empty field is reported only below the field', async () => {
  await submitSignup({ 'First name': ' ' })
  expect(page.text()).toContain('Please fill in this field.')
  expect(screen.queryByRole('alert')).toBeNull()
  expect(page.requests).toEqual([])
})

test.each([
  ['ada@example.org', true],
  ['ada@Example.ORG', true],
  ['ada@mail.example.org', false],
])(
  'checks the domain of the email address before sending a request: %s',
  async (email, isAccepted) => {
    respondToSignup(false)
    await submitSignup({ Email: email }, { policy: ['example.org'] })
    expect(page.requests).toHaveLength(isAccepted ? 1 : 0)
    expect(page.text().includes('This address is of another domain.')).toBe(!isAccepted)
  },
)

test('continues immediately if the account is ready', async () => {
  respondToSignup(false)
  await submitSignup()
  expect(page.requests).toMatchObject([
    { call: 'POST /api/auth/signup', body: { firstName: 'Ada', email: 'ada@example.org' } },
  ])
  expect(createdAccounts).toEqual([{ email: 'ada@example.org', requiresVerification: false }])
  expect(page.text()).toContain('Account created successfully!')
  expect(page.text()).not.toContain('Open the link')
})

const noEmailText = 'This server sends no mail: write to help@example.org.'

test.each([
  [null, 'Open the link in the email we sent you, then sign in.'],
  [noEmailText, `Open the link in the email, then sign in. ${noEmailText}`],
])(
  'continues after 3 s if verification is required, and explains how the email arrives (%j)',
  async (noEmailNote, expectedText) => {
    respondToSignup(true)
    await submitSignup({}, { noEmailNote })
    expect(screen.getByText(expectedText)).toBeTruthy()
    expect(createdAccounts).toEqual([])
    await act(() => vi.advanceTimersByTimeAsync(2900))
    expect(createdAccounts).toEqual([])
    await act(() => vi.advanceTimersByTimeAsync(100))
    expect(createdAccounts).toEqual([{ email: 'ada@example.org', requiresVerification: true }])
  },
)

test('leaving the page within the 3 s cancels the redirect', async () => {
  respondToSignup(true)
  await submitSignup()
  page.close()
  await act(() => vi.advanceTimersByTimeAsync(9000))
  expect(createdAccounts).toEqual([])
})

test('shows that the email address is taken, and allows another submit', async () => {
  page.on('POST /api/auth/signup', () => errorResponse(409, 'EMAIL_TAKEN', 'It exists already.'))
  await submitSignup()
  expect(page.text()).toContain('Sign in with this address, or use another.')
  expect(screen.getByRole('alert').textContent).toBe('Signup failedIt exists already.')
  respondToSignup(false)
  fireEvent.click(screen.getByRole('button', { name: 'Sign Up' }))
  await settle()
  expect(createdAccounts).toHaveLength(1)
})

test('ignores a second submit while the first is pending', async () => {
  const pendingResponse = delayedResponse()
  page.on('POST /api/auth/signup', pendingResponse.respond)
  await submitSignup()
  fireEvent.submit(screen.getByLabelText('Email').closest('form') as HTMLFormElement)
  await settle()
  expect(page.requests).toHaveLength(1)
})
