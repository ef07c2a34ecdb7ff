import { useMutation } from '@tanstack/react-query'
import { type Ref, useState } from 'react'
import { account } from '../../shared/contract/account.ts'
import { call, hasErrorCode } from '../api/call.ts'
import { Button } from '../ui/button.tsx'
import { PasswordField, TextField } from '../ui/field.tsx'
import { Form, SubmitButton } from '../ui/form.tsx'
import { toast, toastOnNextPage } from '../ui/toast.tsx'
import { showCallError, useAuthForm } from './use-auth-form.ts'

export interface LoginFormProps {
  email?: string | undefined
  /** The path on this server to open after sign-in. */
  next: string
  /** If the server can't send email, a note that says whom to ask for help; otherwise null. */
  noEmailNote: string | null
  emailField?: Ref<HTMLElement> | undefined
}

/**
 * Signs in with email and password. On success, does a full page load to discard all signed-out
 * state (spec §4).
 */
export function LoginForm({ email, next, noEmailNote, emailField = null }: LoginFormProps) {
  /** Set if the last login failed because this email address isn't verified. */
  const [unverifiedEmail, setUnverifiedEmail] = useState<string | null>(null)
  const form = useAuthForm({
    schema: account.login.body,
    send: async (body) => {
      setUnverifiedEmail(null)
      try {
        await call('POST /api/auth/login', { body })
      } catch (error) {
        if (hasErrorCode(error, 'EMAIL_NOT_VERIFIED')) setUnverifiedEmail(body.email)
        throw error
      }
      toastOnNextPage({ title: 'Welcome back!' })
      window.location.replace(next)
      return 'leave'
    },
    failed: {
      title: 'Login failed',
      description: 'Invalid email or password. Please try again.',
    },
    // The toast already explains the error, so the field is only marked and focused.
    errorsByCode: { INVALID_CREDENTIALS: { password: '' } },
  })

  return (
    <Form {...form}>
      <TextField
        label="Email"
        name="email"
        type="email"
        autoComplete="username"
        required
        defaultValue={email}
        ref={emailField}
      />
      <PasswordField label="Password" name="password" autoComplete="current-password" required />
      {unverifiedEmail === null ? null : (
        <ResendVerificationNote email={unverifiedEmail} noEmailNote={noEmailNote} />
      )}
      <SubmitButton variant="primary" size="large" wide pendingLabel="Signing in...">
        Sign In
      </SubmitButton>
    </Form>
  )
}

/**
 * Offers to resend the verification email after a login failed because the email address isn't
 * verified.
 */
function ResendVerificationNote({
  email,
  noEmailNote,
}: {
  email: string
  /** If the server can't send email, a note that says whom to ask for help; otherwise null. */
  noEmailNote: string | null
}) {
  const resendMutation = useMutation({
    mutationFn: () => call('POST /api/auth/resend-verification', { body: { email } }),
    onSuccess: ({ message }) =>
      // Without a mail server, don't show the server's message, which says that the email was sent.
      toast(
        noEmailNote === null
          ? { title: 'Verification email sent', description: message }
          : { title: 'Verification email written again', description: noEmailNote },
      ),
    onError: (error) =>
      showCallError(error, 'Error', 'Failed to send the email. Please try again.'),
  })
  return (
    <div className="rounded-control border border-edge p-4">
      <p className="font-[560]">Your email address is not verified yet</p>
      <p className="mt-1 mb-3 text-muted text-sm wrap-anywhere">
        {noEmailNote === null
          ? `Open the link in the email that we sent to ${email}.`
          : `Open the link in the email to ${email}. ${noEmailNote}`}
      </p>
      <Button
        onClick={() => resendMutation.mutate()}
        pending={resendMutation.isPending}
        pendingLabel="Sending..."
      >
        Send the email again
      </Button>
    </div>
  )
}
