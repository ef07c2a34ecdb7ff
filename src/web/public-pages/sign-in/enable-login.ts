import { nextPath } from '../../../shared/rules/accounts/next-path.ts'
import { call, hasErrorCode } from '../../api/call.ts'
import { failureText } from '../../api/failure-text.ts'
import { showToast } from '../../built-pages/toast.ts'
import { toastOnNextPage } from '../../ui/stored-toast.ts'
import { checkLogin, checkResetEmail, type LoginValues } from './check-account.ts'
import { enableForm, type FormBehavior, readNoEmailNote, whileBusy } from './enable-form.ts'
import { takeNewAccount } from './new-account.ts'

/** Leaves enough time to read the confirmation and copy the support address. */
const confirmationMs = 60_000

/** Makes the login page work, if this is that page. */
export function enableLogin(): void {
  const form = document.querySelector<HTMLFormElement>('#login')
  const emailInput = form?.querySelector<HTMLInputElement>('#email')
  if (!form || !emailInput) return
  showNewAccount(emailInput)
  enableResend()
  enableForgotPassword(emailInput)
  enableForm<LoginValues>(form, {
    check: checkLogin,
    send: async ({ email, password }) => {
      const address = email.trim()
      showUnverified(null)
      try {
        await call('POST /api/auth/login', { body: { email: address, password } })
      } catch (error) {
        if (hasErrorCode(error, 'EMAIL_NOT_VERIFIED')) showUnverified(address)
        throw error
      }
      toastOnNextPage({ title: 'Welcome back!' })
      location.replace(nextPath(new URLSearchParams(location.search).get('next')))
      return 'leave'
    },
    pendingLabel: 'Signing in...',
    failed: {
      title: 'Login failed',
      description: 'Invalid email or password. Please try again.',
    },
    // The toast already explains the error, so the field is only marked and focused.
    errorsByCode: { INVALID_CREDENTIALS: { password: '' } },
  })
}

/** Says what to do after a signup, and fills in the new account's email address. */
function showNewAccount(emailInput: HTMLInputElement) {
  const account = takeNewAccount()
  if (account === null) return
  const { email, requiresVerification } = account
  const lead = `${requiresVerification ? 'Two steps are' : 'One step is'} left.`
  document.querySelector('#lead')?.replaceChildren(lead)
  show(requiresVerification ? '#account-unverified' : '#account-ready', email)
  emailInput.value = email
}

/** The address whose verification email can be sent again. */
let unverifiedEmail = ''

/** Offers to resend the verification email, or withdraws the offer. */
function showUnverified(email: string | null) {
  unverifiedEmail = email ?? ''
  if (email === null) document.querySelector('#unverified')?.setAttribute('hidden', '')
  else show('#unverified', email)
}

/** Shows a hidden element and fills in the email address that it mentions. */
function show(selector: string, email: string) {
  const element = document.querySelector(selector)
  element?.querySelector('[data-email]')?.replaceChildren(email)
  element?.removeAttribute('hidden')
}

function enableResend() {
  const button = document.querySelector<HTMLButtonElement>('#resend')
  const resend = async () => {
    try {
      const body = { email: unverifiedEmail }
      const { message } = await call('POST /api/auth/resend-verification', { body })
      const note = readNoEmailNote()
      // Without a mail server, don't show the server's message, which says that the email was sent.
      if (note === null) showToast('Verification email sent', message, { tone: 'plain' })
      else showToast('Verification email written again', note, { tone: 'plain' })
    } catch (error) {
      showToast('Error', failureText(error, 'Failed to send the email. Please try again.'))
    }
  }
  button?.addEventListener('click', () => void whileBusy(button, 'Sending...', resend))
}

/** Makes 'Forgot password?' open the dialog to request a password reset email (spec §2). */
function enableForgotPassword(emailInput: HTMLInputElement) {
  const template = document.querySelector<HTMLTemplateElement>('#forgot-template')
  document.querySelector('#forgot')?.addEventListener('click', () => {
    document.body.append(template?.content.cloneNode(true) ?? '')
    const dialog = document.querySelector<HTMLDialogElement>('#forgot-dialog')
    const form = dialog?.querySelector('form')
    if (!dialog || !form) return
    for (const input of form.querySelectorAll('input')) input.value = emailInput.value
    form.querySelector('#forgot-cancel')?.addEventListener('click', () => dialog.close())
    dialog.addEventListener('mousedown', ({ target }) => {
      // The dialog's content fills it, so this is outside of it.
      if (target === dialog) dialog.close()
    })
    dialog.addEventListener('close', () => {
      document.body.append(...dialog.querySelectorAll('#toast'))
      dialog.remove()
    })
    enableForm<{ email: string }>(form, forgotPassword(dialog))
    dialog.showModal()
  })
}

function forgotPassword(dialog: HTMLDialogElement): FormBehavior<{ email: string }> {
  return {
    check: checkResetEmail,
    // Spec §5 requires the email address for a password reset.
    errorToast: ({ email }) =>
      email.trim() === ''
        ? { title: 'Email required', description: 'Please enter your email address.' }
        : null,
    send: async ({ email }) => {
      const body = { email: email.trim() }
      const { message } = await call('POST /api/auth/forgot-password', { body })
      dialog.close()
      const note = readNoEmailNote()
      showToast('Password reset email sent', note === null ? message : `${message} ${note}`, {
        tone: 'plain',
        durationMs: confirmationMs,
      })
    },
    pendingLabel: 'Sending...',
    failed: { title: 'Error', description: 'Failed to send reset email. Please try again.' },
  }
}
