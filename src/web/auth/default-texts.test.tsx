// @vitest-environment happy-dom
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { cleanup, fireEvent, render, screen, within } from '@testing-library/react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { VerifyEmailPage } from '../pages/verify-email-page.tsx'
import { Toaster } from '../ui/toast.tsx'
import { ForgotPassword } from './forgot-password.tsx'
import { LoginForm } from './login-form.tsx'
import { ResetPasswordForm } from './reset-password-form.tsx'
import { SignupForm } from './signup-form.tsx'

/**
 * Spec §8: what each form says when the server answers an error without a message, or not at all.
 */

let answer: () => Promise<Response>
beforeEach(() => {
  vi.stubGlobal('fetch', () => answer())
})
afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

function nothing() {}

function press(name: string) {
  fireEvent.click(screen.getByRole('button', { name }))
}

/** Types texts into fields by their labels, and presses a button. */
function submit(texts: Record<string, string>, button: string) {
  for (const [label, value] of Object.entries(texts)) {
    fireEvent.change(screen.getByLabelText(label), { target: { value } })
  }
  press(button)
}

function login() {
  render(<LoginForm next="/" />)
  submit({ Email: 'ada@example.org', Password: 'secret' }, 'Sign In')
}

function signup() {
  render(<SignupForm policy="open" onDone={nothing} />)
  const names = { 'First name': 'Ada', 'Last name': 'Lovelace', Email: 'ada@example.org' }
  submit({ ...names, Password: 'secret', 'Confirm password': 'secret' }, 'Sign Up')
}

function forgot() {
  render(<ForgotPassword sendsMail supportEmail={undefined} />)
  press('Forgot password?')
  submit({ 'Email address': 'ada@example.org' }, 'Send Reset Email')
}

function verify() {
  window.history.replaceState(null, '', '/verify-email?token=x')
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } })
  render(
    <QueryClientProvider client={client}>
      <VerifyEmailPage />
    </QueryClientProvider>,
  )
}

function reset() {
  render(<ResetPasswordForm token="x" onDone={nothing} onInvalid={nothing} />)
  submit({ 'New password': 'secret', 'Confirm password': 'secret' }, 'Reset Password')
}

test.each([
  ['login', login, 'Login failed', 'Invalid email or password. Please try again.'],
  ['signup', signup, 'Signup failed', 'Failed to create account. Please try again.'],
  ['forgot password', forgot, 'Error', 'Failed to send reset email. Please try again.'],
  ['verify email', verify, 'Verification failed', 'Failed to verify email'],
  ['reset', reset, 'Reset failed', 'Failed to reset password. Please try again.'],
])('%s: the title and the default', async (_, send, title, description) => {
  answer = async () => new Response('', { status: 500 })
  render(<Toaster />)
  send()
  const toast = await screen.findByRole('alert')
  expect(within(toast).getByText(title)).toBeTruthy()
  expect(within(toast).getByText(description)).toBeTruthy()
})

test.each([
  [true, "If an account exists, we've sent it."],
  [false, /we've sent it\. This server sends no mail.*help@example\.org/],
])(
  'forgot password: where the server sends mail is %s, the confirmation knows it',
  async (sendsMail, words) => {
    answer = async () => Response.json({ message: "If an account exists, we've sent it." })
    render(<Toaster />)
    render(<ForgotPassword sendsMail={sendsMail} supportEmail="help@example.org" />)
    press('Forgot password?')
    const dialog = await screen.findByRole('dialog')
    expect(dialog.textContent?.includes('This server sends no mail')).toBe(!sendsMail)
    submit({ 'Email address': 'ada@example.org' }, 'Send Reset Email')
    expect(await screen.findByText(words)).toBeTruthy()
  },
)

test.each([
  ['verify email', verify],
  ['reset', reset],
])('%s without an answer: a toast, and a sentence on the page', async (_, send) => {
  answer = () => Promise.reject(new TypeError('Failed to fetch'))
  render(<Toaster />)
  send()
  const toast = await screen.findByRole('alert')
  expect(toast.textContent).toBe('Network errorPlease check your connection and try again')
  expect(await screen.findByText('Network error occurred')).toBeTruthy()
})
