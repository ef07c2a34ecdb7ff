// @vitest-environment happy-dom
import { fireEvent, screen, within } from '@testing-library/react'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { showBuiltPage } from '../../../../tests/support/built-page.ts'
import { errorResponse, openPage, type WebPage } from '../../../../tests/support/web-page.ts'
import type { ServerCondition } from '../../../shared/placeholders.ts'
import { takeStoredToast } from '../../ui/stored-toast.ts'
import { enableLogin } from './enable-login.ts'
import { LoginPage } from './login-page.tsx'
import { storeNewAccount } from './new-account.ts'

const loginEndpoint = 'POST /api/auth/login'

let page: WebPage
let openedUrls: string[]
beforeEach(() => {
  page = openPage()
  openedUrls = []
  vi.spyOn(window.location, 'replace').mockImplementation(
    (url) => void openedUrls.push(String(url)),
  )
})
afterEach(() => {
  page.close()
  document.body.replaceChildren()
  sessionStorage.clear()
  history.replaceState(null, '', '/')
  vi.restoreAllMocks()
})

const withEmail: ServerCondition[] = ['smtp']
const withoutEmail: ServerCondition[] = ['outbox', 'supportMail']
const noEmailText = "This server doesn't send email. Write to help@example.org for the link."

function openLogin(conditions = withEmail) {
  showBuiltPage(<LoginPage />, ['signupOpen', ...conditions], { supportEmail: 'help@example.org' })
  enableLogin()
}

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
  submit({ Email: 'ada@example.org ', Password: 'secret' }, 'Sign In')
}

function getToast() {
  return document.querySelector('#toast')?.textContent
}

describe('the login', () => {
  test.each([
    ['/login', '/'],
    ['/login?next=%2Fs%2Fabc', '/s/abc'],
    ['/login?next=https%3A%2F%2Fevil.example', '/'],
  ])('at %s opens %s, which greets the user', async (path, next) => {
    history.replaceState(null, '', path)
    page.on(loginEndpoint, () => ({ id: 'ada' }))
    openLogin()
    submitLogin()
    await expect.poll(() => openedUrls).toEqual([next])
    expect(page.requests[0]?.body).toEqual({ email: 'ada@example.org', password: 'secret' })
    expect(takeStoredToast()).toEqual({ title: 'Welcome back!' })
  })

  test.each([
    ['without a message', () => errorResponse(500), 'Invalid email or password. Please try again.'],
    ['with a message', () => errorResponse(429, undefined, 'Too many.'), 'Too many.'],
    [
      'without a response',
      () => Promise.reject(new TypeError('Failed to fetch')),
      'Please check your connection and try again',
    ],
  ])('that fails %s shows why', async (_, respond, description) => {
    page.on(loginEndpoint, respond)
    openLogin()
    submitLogin()
    await expect.poll(getToast).toBe(`Login failed${description}`)
    expect(screen.getByRole('button', { name: 'Sign In' })).toBeTruthy()
  })

  test('with a wrong password marks the field, without repeating the toast', async () => {
    page.on(loginEndpoint, () => errorResponse(401, 'INVALID_CREDENTIALS', 'Wrong.'))
    openLogin()
    submitLogin()
    const field = screen.getByLabelText('Password')
    await expect.poll(() => document.activeElement).toBe(field)
    expect(field.getAttribute('aria-invalid')).toBe('true')
  })

  test('with missing values sends nothing', () => {
    openLogin()
    submit({ Email: 'ada', Password: '' }, 'Sign In')
    expect(page.text()).toContain('Please enter a valid email address.')
    expect(page.text()).toContain('Please fill in this field.')
    expect(page.requests).toEqual([])
  })

  test.each([
    [
      withEmail,
      'Open the link in the email that we sent to ada@example.org.',
      'Verification email sentSent.',
    ],
    [
      withoutEmail,
      `Open the link in the email to ada@example.org. ${noEmailText}`,
      `Verification email written again${noEmailText}`,
    ],
  ])(
    'of an unverified address offers the email again (%j)',
    async (conditions, text, resentToast) => {
      page.on(loginEndpoint, () => errorResponse(403, 'EMAIL_NOT_VERIFIED', 'Verify.'))
      page.on('POST /api/auth/resend-verification', () => ({ message: 'Sent.' }))
      openLogin(conditions)
      submitLogin()
      const note = document.querySelector('#unverified')
      await expect.poll(() => note?.hasAttribute('hidden')).toBe(false)
      expect(note?.textContent).toContain(text)
      press('Send the email again')
      await expect.poll(getToast).toBe(resentToast)
      expect(page.requests.at(-1)?.body).toEqual({ email: 'ada@example.org' })
    },
  )
})

describe('after a signup', () => {
  const nextStepsText =
    'Open the link within 24 hours, then sign in here. Wrong address? Sign up again.'

  test.each([
    [
      false,
      withoutEmail,
      'One step is left.',
      'Your account is ready. Sign in with the password that you have just chosen.',
    ],
    [
      true,
      withEmail,
      'Two steps are left.',
      `We sent an email to ada@example.org. ${nextStepsText}`,
    ],
    [true, withoutEmail, 'Two steps are left.', `${noEmailText} ${nextStepsText}`],
  ])(
    'with requiresVerification %j, the login says what to do next (%j)',
    (requiresVerification, conditions, lead, text) => {
      storeNewAccount({ email: 'ada@example.org', requiresVerification })
      openLogin(conditions)
      const notes = [...document.querySelectorAll('.note[role="status"]:not([hidden])')]
      expect(notes.map((note) => note.textContent.replaceAll(/\s+/g, ' ').trim())).toEqual([text])
      expect(document.querySelector('#lead')?.textContent).toBe(lead)
      expect(screen.getByLabelText<HTMLInputElement>('Email').value).toBe('ada@example.org')
    },
  )
})

describe('forgot password', () => {
  const endpoint = 'POST /api/auth/forgot-password'
  const openDialog = () => {
    press('Forgot password?')
    return screen.getByRole('dialog')
  }

  test.each([
    [withEmail, 'We email you a link', "If an account exists, we've sent it."],
    [withoutEmail, noEmailText, `If an account exists, we've sent it. ${noEmailText}`],
  ])(
    'the dialog and the confirmation explain how the email arrives (%j)',
    async (conditions, dialogText, confirmationText) => {
      page.on(endpoint, () => ({ message: "If an account exists, we've sent it." }))
      openLogin(conditions)
      expect(openDialog().textContent).toContain(dialogText)
      submit({ 'Email address': 'ada@example.org' }, 'Send Reset Email')
      await expect.poll(getToast).toBe(`Password reset email sent${confirmationText}`)
      expect(screen.queryByRole('dialog')).toBeNull()
    },
  )

  test('the dialog is prefilled with the email address from the login form', () => {
    openLogin()
    for (const email of ['ada@example.org', 'bob@example.org']) {
      fireEvent.change(screen.getByLabelText('Email'), { target: { value: email } })
      const dialog = openDialog()
      expect(within(dialog).getByLabelText<HTMLInputElement>('Email address').value).toBe(email)
      press('Cancel')
      expect(screen.queryByRole('dialog')).toBeNull()
    }
  })

  test('the email is required, and the toast is shown in front of the dialog', () => {
    openLogin()
    const dialog = openDialog()
    press('Send Reset Email')
    expect(within(dialog).getByRole('alert').textContent).toBe(
      'Email requiredPlease enter your email address.',
    )
    expect(page.requests).toEqual([])
  })

  test('shows the default text if the call fails', async () => {
    page.on(endpoint, () => errorResponse(500))
    openLogin()
    openDialog()
    submit({ 'Email address': 'ada@example.org' }, 'Send Reset Email')
    await expect.poll(getToast).toBe('ErrorFailed to send reset email. Please try again.')
    expect(screen.getByRole('dialog')).toBeTruthy()
  })
})
