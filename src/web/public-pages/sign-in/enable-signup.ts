import { nextPath, withNext } from '../../../shared/rules/accounts/next-path.ts'
import { minPasswordLength, passwordTooShortText } from '../../../shared/rules/accounts/password.ts'
import { call } from '../../api/call.ts'
import { showToast } from '../../built-pages/toast.ts'
import { toastOnNextPage } from '../../ui/stored-toast.ts'
import { checkSignup, type SignupValues } from './check-account.ts'
import { enableForm, readNoEmailNote } from './enable-form.ts'
import { type NewAccount, storeNewAccount } from './new-account.ts'

/**
 * Spec §9: after a signup that requires verification, the login page opens after 3 s and the toast
 * stays for 10 s.
 */
const verificationRedirectMs = 3000
const verificationToastMs = 10_000

/** Makes the signup form work, if the page has one. */
export function enableSignup(): void {
  const form = document.querySelector<HTMLFormElement>('#signup')
  if (form === null) return
  enableForm<SignupValues>(form, {
    check: checkSignup,
    errorToast: passwordToast,
    send: async (values) => {
      const email = values.email.trim()
      const body = { ...values, email }
      const { requiresVerification } = await call('POST /api/auth/signup', { body })
      const account = { email, requiresVerification }
      const title = 'Account created successfully!'
      if (!requiresVerification) {
        toastOnNextPage({ title })
        openLogin(account)
        return 'leave'
      }
      const note = readNoEmailNote()
      const description =
        note === null
          ? 'Open the link in the email we sent you, then sign in.'
          : `Open the link in the email, then sign in. ${note}`
      showToast(title, description, { tone: 'plain', durationMs: verificationToastMs })
      setTimeout(() => {
        const durationMs = verificationToastMs - verificationRedirectMs
        toastOnNextPage({ title, description, durationMs })
        openLogin(account)
      }, verificationRedirectMs)
      return 'leave'
    },
    pendingLabel: 'Creating account...',
    failed: {
      title: 'Signup failed',
      description: 'Failed to create account. Please try again.',
    },
    errorsByCode: {
      EMAIL_TAKEN: { email: 'Sign in with this address, or use another.' },
      SIGNUP_NOT_ALLOWED: { email: 'This address is of another domain.' },
    },
  })
}

function openLogin(account: NewAccount) {
  storeNewAccount(account)
  const next = nextPath(new URLSearchParams(location.search).get('next'))
  location.assign(withNext('/login', next))
}

/**
 * Returns the toast for an error in the passwords, or null if there is none. Errors are checked in
 * the order given in spec §5 for the signup.
 */
function passwordToast({ password, confirmPassword }: SignupValues) {
  if (password !== confirmPassword) {
    return { title: 'Password mismatch', description: 'Passwords do not match. Please try again.' }
  }
  if (password.length >= minPasswordLength) return null
  return { title: 'Password too short', description: passwordTooShortText }
}
