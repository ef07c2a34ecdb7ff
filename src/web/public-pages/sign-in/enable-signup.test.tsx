// @vitest-environment happy-dom
import { fireEvent, screen } from '@testing-library/react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { showBuiltPage } from '../../../../tests/support/built-page.ts'
import {
  delayedResponse,
  errorResponse,
  openPage,
  type WebPage,
} from '../../../../tests/support/web-page.ts'
import type { ServerCondition } from '../../../shared/placeholders.ts'
import { takeStoredToast } from '../../ui/stored-toast.ts'
import { enableSignup } from './enable-signup.ts'
import { takeNewAccount } from './new-account.ts'
import { SignupPage } from './signup-page.tsx'

let page: WebPage
let openedUrls: string[]
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  page = openPage()
  openedUrls = []
  vi.spyOn(window.location, 'assign').mockImplementation((url) => void openedUrls.push(String(url)))
})
afterEach(() => {
  page.close()
  document.body.replaceChildren()
  sessionStorage.clear()
  history.replaceState(null, '', '/')
  vi.restoreAllMocks()
  vi.useRealTimers()
})

/** Waits for pending responses. */
async function settle() {
  for (let step = 0; step < 20; step += 1) await vi.advanceTimersByTimeAsync(1)
}

const fieldValues = {
  'First name': 'Ada',
  'Last name': 'Lovelace',
  Email: ' ada@example.org',
  Password: 'secret',
  'Confirm password': 'secret',
}

async function submitSignup(
  changes: Partial<typeof fieldValues> = {},
  conditions: ServerCondition[] = ['smtp'],
) {
  showBuiltPage(<SignupPage />, ['signupOpen', ...conditions])
  enableSignup()
  for (const [label, value] of Object.entries({ ...fieldValues, ...changes })) {
    fireEvent.change(screen.getByLabelText(label), { target: { value } })
  }
  fireEvent.click(screen.getByRole('button', { name: 'Sign Up' }))
  await settle()
}

function respondToSignup(requiresVerification: boolean) {
  page.on('POST /api/auth/signup', () => ({ message: 'Done.', requiresVerification }))
}

function getToast() {
  return screen.getByRole('alert').textContent
}

const mismatchText = 'Password mismatchPasswords do not match. Please try again.'
const tooShortText = 'Password too shortPassword must be at least 6 characters long.'

test.each([
  ['two passwords that differ', { 'Confirm password': 'secrets' }, mismatchText],
  ['two short passwords that differ', { Password: 'a', 'Confirm password': 'b' }, mismatchText],
  ['a short password', { Password: 'abcde', 'Confirm password': 'abcde' }, tooShortText],
])('%s: shows a toast and sends nothing', async (_, changes, toast) => {
  await submitSignup(changes)
  expect(getToast()).toBe(toast)
  expect([page.requests, openedUrls]).toEqual([[], []])
})

test('an empty field is reported only below the field, which gets the focus', async () => {
  await submitSignup({ 'First name': ' ' })
  expect(page.text()).toContain('Please fill in this field.')
  expect(document.activeElement).toBe(screen.getByLabelText('First name'))
  expect(getToast()).toBe('')
  expect(page.requests).toEqual([])
})

test('opens the login immediately if the account is ready', async () => {
  history.replaceState(null, '', '/signup?next=%2Fs%2Fabc')
  respondToSignup(false)
  await submitSignup()
  expect(page.requests).toMatchObject([
    { call: 'POST /api/auth/signup', body: { firstName: 'Ada', email: 'ada@example.org' } },
  ])
  expect(openedUrls).toEqual(['/login?next=%2Fs%2Fabc'])
  expect(takeNewAccount()).toEqual({ email: 'ada@example.org', requiresVerification: false })
  expect(takeStoredToast()).toEqual({ title: 'Account created successfully!' })
})

const noEmailText = "This server doesn't send email. Ask its operator for the link."

test.each<[ServerCondition[], string]>([
  [['smtp'], 'Open the link in the email we sent you, then sign in.'],
  [['outbox', 'supportForm'], `Open the link in the email, then sign in. ${noEmailText}`],
])(
  'opens the login after 3 s if verification is required, and explains how the email arrives (%j)',
  async (conditions, description) => {
    respondToSignup(true)
    await submitSignup({}, conditions)
    const title = 'Account created successfully!'
    expect(getToast()).toBe(title + description)
    await vi.advanceTimersByTimeAsync(2900)
    expect(openedUrls).toEqual([])
    await vi.advanceTimersByTimeAsync(100)
    expect(openedUrls).toEqual(['/login'])
    expect(takeNewAccount()).toEqual({ email: 'ada@example.org', requiresVerification: true })
    // The login page shows the toast for the rest of its 10 s.
    expect(takeStoredToast()).toEqual({ title, description, durationMs: 7000 })
  },
)

test.each([
  ['EMAIL_TAKEN', 'Sign in with this address, or use another.'],
  ['SIGNUP_NOT_ALLOWED', 'This address is of another domain.'],
] as const)('shows %s at the email field, and allows another submit', async (code, text) => {
  page.on('POST /api/auth/signup', () => errorResponse(409, code, 'Not this one.'))
  await submitSignup()
  expect(page.text()).toContain(text)
  expect(getToast()).toBe('Signup failedNot this one.')
  respondToSignup(false)
  fireEvent.click(screen.getByRole('button', { name: 'Sign Up' }))
  await settle()
  expect(openedUrls).toHaveLength(1)
})

test('shows the default text if the response contains no message', async () => {
  page.on('POST /api/auth/signup', () => errorResponse(500))
  await submitSignup()
  expect(getToast()).toBe('Signup failedFailed to create account. Please try again.')
})

test('ignores a second submit while the first is pending', async () => {
  const pendingResponse = delayedResponse()
  page.on('POST /api/auth/signup', pendingResponse.respond)
  await submitSignup()
  const form = screen.getByLabelText('Email').closest('form') as HTMLFormElement
  fireEvent.submit(form)
  await settle()
  expect(page.requests).toHaveLength(1)
  expect(screen.getByRole('button', { name: 'Creating account...' })).toBeTruthy()
})

test('a password is shown on demand', async () => {
  showBuiltPage(<SignupPage />, ['signupOpen', 'smtp'])
  enableSignup()
  const field = screen.getByLabelText('Password')
  fireEvent.click(screen.getByRole('button', { name: 'Show password' }))
  expect(field.getAttribute('type')).toBe('text')
  fireEvent.click(screen.getByRole('button', { name: 'Hide password' }))
  expect(field.getAttribute('type')).toBe('password')
})
