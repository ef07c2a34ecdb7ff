// @vitest-environment happy-dom
import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { openPage, type WebPage } from '../../../tests/support/web-page.ts'
import { VerifyEmailPage } from '../pages/verify-email-page.tsx'
import { ForgotPassword } from './forgot-password.tsx'
import { LoginForm } from './login-form.tsx'
import { ResetPasswordForm } from './reset-password-form.tsx'
import { SignupForm } from './signup-form.tsx'

let page: WebPage
let respond: () => Promise<Response>
beforeEach(() => {
  page = openPage()
  vi.stubGlobal('fetch', () => respond())
})
afterEach(() => page.close())

function noop() {}

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

function submitLogin() {
  page.show(<LoginForm next="/" noEmailNote={null} />)
  submit({ Email: 'ada@example.org', Password: 'secret' }, 'Sign In')
}

function submitSignup() {
  page.show(<SignupForm policy="open" noEmailNote={null} onDone={noop} />)
  const fields = { 'First name': 'Ada', 'Last name': 'Lovelace', Email: 'ada@example.org' }
  submit({ ...fields, Password: 'secret', 'Confirm password': 'secret' }, 'Sign Up')
}

function requestPasswordReset() {
  page.show(<ForgotPassword noEmailNote={null} getEmail={() => ''} />)
  press('Forgot password?')
  submit({ 'Email address': 'ada@example.org' }, 'Send Reset Email')
}

function openVerificationPage() {
  window.history.replaceState(null, '', '/verify-email?token=x')
  page.show(<VerifyEmailPage />)
}

function submitPasswordReset() {
  page.show(<ResetPasswordForm token="x" onDone={noop} onInvalid={noop} />)
  submit({ 'New password': 'secret', 'Confirm password': 'secret' }, 'Reset Password')
}

// Spec §8: each form has a default error message, shown if there is no response or if the response
// contains no message.
test.each([
  ['login', submitLogin, 'Login failed', 'Invalid email or password. Please try again.'],
  ['signup', submitSignup, 'Signup failed', 'Failed to create account. Please try again.'],
  [
    'forgot password',
    requestPasswordReset,
    'Error',
    'Failed to send reset email. Please try again.',
  ],
  ['verify email', openVerificationPage, 'Verification failed', 'Failed to verify email'],
  ['reset', submitPasswordReset, 'Reset failed', 'Failed to reset password. Please try again.'],
])('%s: shows the title and the default text', async (_, send, title, description) => {
  respond = async () => new Response('', { status: 500 })
  send()
  const toast = await screen.findByRole('alert')
  expect(within(toast).getByText(title)).toBeTruthy()
  expect(within(toast).getByText(description)).toBeTruthy()
})

const noEmailText = 'This server sends no mail: write to help@example.org.'

test.each([
  [null, 'We send an email to your address.', "If an account exists, we've sent it."],
  [noEmailText, noEmailText, `If an account exists, we've sent it. ${noEmailText}`],
])(
  'forgot password: the dialog and the confirmation explain how the email arrives (%j)',
  async (noEmailNote, dialogText, confirmationText) => {
    respond = async () => Response.json({ message: "If an account exists, we've sent it." })
    page.show(<ForgotPassword noEmailNote={noEmailNote} getEmail={() => ''} />)
    press('Forgot password?')
    const dialog = await screen.findByRole('dialog')
    expect(dialog.textContent).toContain(dialogText)
    submit({ 'Email address': 'ada@example.org' }, 'Send Reset Email')
    expect(await screen.findByText(confirmationText)).toBeTruthy()
  },
)

test('forgot password: the dialog is prefilled with the email address from the login form', async () => {
  let email = 'ada@example.org'
  page.show(<ForgotPassword noEmailNote={null} getEmail={() => email} />)
  press('Forgot password?')
  expect(await screen.findByDisplayValue(email)).toBe(screen.getByLabelText('Email address'))
  press('Cancel')
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  email = 'bob@example.org'
  press('Forgot password?')
  expect(await screen.findByDisplayValue(email)).toBeTruthy()
})

test.each([
  [null, 'Open the link in the email that we sent to ada@example.org.'],
  [noEmailText, `Open the link in the email to ada@example.org. ${noEmailText}`],
])(
  'login with an unverified email address: explains how the email arrives (%j)',
  async (noEmailNote, expectedText) => {
    respond = async () =>
      Response.json({ message: 'Verify.', code: 'EMAIL_NOT_VERIFIED' }, { status: 403 })
    page.show(<LoginForm next="/" noEmailNote={noEmailNote} />)
    submit({ Email: 'ada@example.org', Password: 'secret' }, 'Sign In')
    expect(await screen.findByText(expectedText)).toBeTruthy()
  },
)

test.each([
  ['verify email', openVerificationPage],
  ['reset', submitPasswordReset],
])('%s without a response: shows a toast and an error on the page', async (_, send) => {
  respond = () => Promise.reject(new TypeError('Failed to fetch'))
  send()
  const toast = await screen.findByRole('alert')
  expect(toast.textContent).toBe('Network errorPlease check your connection and try again')
  expect(await screen.findByText('Network error occurred')).toBeTruthy()
})
