// @vitest-environment happy-dom
import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { openPage, type WebPage } from '../../../tests/support/web-page.ts'
import { VerifyEmailPage } from '../pages/verify-email-page.tsx'
import { ForgotPassword } from './forgot-password.tsx'
import { LoginForm } from './login-form.tsx'
import { ResetPasswordForm } from './reset-password-form.tsx'
import { SignupForm } from './signup-form.tsx'

/**
 * Spec §8: what each form shows when the server returns an error without a message, or no response.
 */

let page: WebPage
let response: () => Promise<Response>
beforeEach(() => {
  page = openPage()
  vi.stubGlobal('fetch', () => response())
})
afterEach(() => page.close())

function nothing() {}

function press(name: string) {
  fireEvent.click(screen.getByRole('button', { name }))
}

/** Fills in fields by label and presses a button. */
function submit(texts: Record<string, string>, button: string) {
  for (const [label, value] of Object.entries(texts)) {
    fireEvent.change(screen.getByLabelText(label), { target: { value } })
  }
  press(button)
}

function login() {
  page.show(<LoginForm next="/" noEmailNote={null} />)
  submit({ Email: 'ada@example.org', Password: 'secret' }, 'Sign In')
}

function signup() {
  page.show(<SignupForm policy="open" noEmailNote={null} onDone={nothing} />)
  const names = { 'First name': 'Ada', 'Last name': 'Lovelace', Email: 'ada@example.org' }
  submit({ ...names, Password: 'secret', 'Confirm password': 'secret' }, 'Sign Up')
}

function forgot() {
  page.show(<ForgotPassword noEmailNote={null} typedEmail={() => ''} />)
  press('Forgot password?')
  submit({ 'Email address': 'ada@example.org' }, 'Send Reset Email')
}

function verify() {
  window.history.replaceState(null, '', '/verify-email?token=x')
  page.show(<VerifyEmailPage />)
}

function reset() {
  page.show(<ResetPasswordForm token="x" onDone={nothing} onInvalid={nothing} />)
  submit({ 'New password': 'secret', 'Confirm password': 'secret' }, 'Reset Password')
}

test.each([
  ['login', login, 'Login failed', 'Invalid email or password. Please try again.'],
  ['signup', signup, 'Signup failed', 'Failed to create account. Please try again.'],
  ['forgot password', forgot, 'Error', 'Failed to send reset email. Please try again.'],
  ['verify email', verify, 'Verification failed', 'Failed to verify email'],
  ['reset', reset, 'Reset failed', 'Failed to reset password. Please try again.'],
])('%s: shows the title and the default text', async (_, send, title, description) => {
  response = async () => new Response('', { status: 500 })
  send()
  const toast = await screen.findByRole('alert')
  expect(within(toast).getByText(title)).toBeTruthy()
  expect(within(toast).getByText(description)).toBeTruthy()
})

const noMail = 'This server sends no mail: write to help@example.org.'

test.each([
  [null, 'We send an email to your address.', "If an account exists, we've sent it."],
  [noMail, noMail, `If an account exists, we've sent it. ${noMail}`],
])(
  'forgot password: the dialog and the confirmation explain how the email arrives (%j)',
  async (noEmailNote, says, confirms) => {
    response = async () => Response.json({ message: "If an account exists, we've sent it." })
    page.show(<ForgotPassword noEmailNote={noEmailNote} typedEmail={() => ''} />)
    press('Forgot password?')
    const dialog = await screen.findByRole('dialog')
    expect(dialog.textContent).toContain(says)
    submit({ 'Email address': 'ada@example.org' }, 'Send Reset Email')
    expect(await screen.findByText(confirms)).toBeTruthy()
  },
)

test('forgot password: the dialog is prefilled with the address from the login form', async () => {
  let typed = 'ada@example.org'
  page.show(<ForgotPassword noEmailNote={null} typedEmail={() => typed} />)
  press('Forgot password?')
  expect(await screen.findByDisplayValue(typed)).toBe(screen.getByLabelText('Email address'))
  press('Cancel')
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  typed = 'bob@example.org'
  press('Forgot password?')
  expect(await screen.findByDisplayValue(typed)).toBeTruthy()
})

test.each([
  [null, 'Open the link in the email that we sent to ada@example.org.'],
  [noMail, `Open the link in the email to ada@example.org. ${noMail}`],
])('login with an unverified address: explains how the email arrives (%j)', async (waits, says) => {
  response = async () =>
    Response.json({ message: 'Verify.', code: 'EMAIL_NOT_VERIFIED' }, { status: 403 })
  page.show(<LoginForm next="/" noEmailNote={waits} />)
  submit({ Email: 'ada@example.org', Password: 'secret' }, 'Sign In')
  expect(await screen.findByText(says)).toBeTruthy()
})

test.each([
  ['verify email', verify],
  ['reset', reset],
])('%s without a response: shows a toast and an error on the page', async (_, send) => {
  response = () => Promise.reject(new TypeError('Failed to fetch'))
  send()
  const toast = await screen.findByRole('alert')
  expect(toast.textContent).toBe('Network errorPlease check your connection and try again')
  expect(await screen.findByText('Network error occurred')).toBeTruthy()
})
