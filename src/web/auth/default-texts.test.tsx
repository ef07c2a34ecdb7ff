// @vitest-environment happy-dom
import { fireEvent, screen, within } from '@testing-library/react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { openPage, type WebPage } from '../../../tests/support/web-page.ts'
import { VerifyEmailPage } from '../pages/verify-email-page.tsx'
import { ResetPasswordForm } from './reset-password-form.tsx'

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
  ['verify email', openVerificationPage, 'Verification failed', 'Failed to verify email'],
  ['reset', submitPasswordReset, 'Reset failed', 'Failed to reset password. Please try again.'],
])('%s: shows the title and the default text', async (_, send, title, description) => {
  respond = async () => new Response('', { status: 500 })
  send()
  const toast = await screen.findByRole('alert')
  expect(within(toast).getByText(title)).toBeTruthy()
  expect(within(toast).getByText(description)).toBeTruthy()
})

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
