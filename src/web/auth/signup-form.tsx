import { useEffect, useState } from 'react'
import type { z } from 'zod'
import {
  minPasswordLength,
  passwordTooShortText,
  signupBody,
} from '../../shared/contract/account.ts'
import {
  isSignupAllowed,
  type SignupPolicy,
  signupDeniedText,
} from '../../shared/rules/accounts/signup-policy.ts'
import { call } from '../api/call.ts'
import { PasswordField } from '../ui/field.tsx'
import { Form, SubmitButton } from '../ui/form.tsx'
import { toast } from '../ui/toast.tsx'
import { AccountFields } from './account-fields.tsx'
import type { NewAccount } from './new-account-note.tsx'
import { useAuthForm } from './use-auth-form.ts'

/**
 * Spec §9: after a signup that requires verification, the login page opens after 3 s and the toast
 * stays for 10 s.
 */
const verificationRedirectMs = 3000
const verificationToastMs = 10_000

export interface SignupFormProps {
  /** Who can sign up. The server enforces this too. */
  policy: SignupPolicy
  /** If the server can't send email, a note that says whom to ask for help; otherwise null. */
  noEmailNote: string | null
  /** Called when it is time to open the login page. */
  onDone: (account: NewAccount) => void
}

export function SignupForm({ policy, noEmailNote, onDone }: SignupFormProps) {
  const [waitingAccount, setWaitingAccount] = useState<NewAccount>()

  // Spec §4: after a signup with requiresVerification set, the login page opens after 3 seconds.
  useEffect(() => {
    if (waitingAccount === undefined) return
    const timer = setTimeout(() => onDone(waitingAccount), verificationRedirectMs)
    return () => clearTimeout(timer)
  }, [waitingAccount, onDone])

  const form = useAuthForm({
    schema: signupBody.refine(({ email }) => isSignupAllowed(policy, email), {
      path: ['email'],
      message: 'This address is of another domain.',
    }),
    errorToast,
    send: async (body) => {
      const { requiresVerification } = await call('POST /api/auth/signup', { body })
      toast({
        title: 'Account created successfully!',
        ...(requiresVerification && {
          description:
            noEmailNote === null
              ? 'Open the link in the email we sent you, then sign in.'
              : `Open the link in the email, then sign in. ${noEmailNote}`,
          durationMs: verificationToastMs,
        }),
      })
      const account = { email: body.email, requiresVerification }
      if (requiresVerification) setWaitingAccount(account)
      else onDone(account)
      return 'leave'
    },
    failed: {
      title: 'Signup failed',
      description: 'Failed to create account. Please try again.',
    },
    errorsByCode: { EMAIL_TAKEN: { email: 'Sign in with this address, or use another.' } },
  })

  return (
    <Form {...form}>
      <AccountFields isOwnAccount emailHint={signupDeniedText(policy) ?? undefined} />
      <PasswordField
        label="Confirm password"
        name="confirmPassword"
        autoComplete="new-password"
        required
      />
      <SubmitButton variant="primary" size="large" wide pendingLabel="Creating account...">
        Sign Up
      </SubmitButton>
    </Form>
  )
}

/**
 * Returns the toast for an error in the passwords, or null if there is none. Errors are checked in
 * the order given in spec §5 for the signup.
 */
function errorToast({ password, confirmPassword }: z.input<typeof signupBody>) {
  if (password !== confirmPassword) {
    return { title: 'Password mismatch', description: 'Passwords do not match. Please try again.' }
  }
  if (password.length >= minPasswordLength) return null
  return { title: 'Password too short', description: passwordTooShortText }
}
