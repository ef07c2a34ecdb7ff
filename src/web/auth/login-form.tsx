import { type Ref, useState } from 'react'
import { account } from '../../shared/contract/account.ts'
import { ApiError, call } from '../api/call.ts'
import { Button } from '../ui/button.tsx'
import { PasswordField, TextField } from '../ui/field.tsx'
import { Form } from '../ui/form.tsx'
import { toast, toastOnNextPage } from '../ui/toast.tsx'
import { tellFailure, useAuthForm } from './use-auth-form.ts'

const names = ['email', 'password'] as const

export interface LoginFormProps {
  email?: string | undefined
  /** The page of this server to which signing in leads. */
  next: string
  /** How an email reaches people if the server sends no mail; null if it sends mail. */
  mailWaits: string | null
  /** Receives the field of the email address. */
  emailField?: Ref<HTMLElement> | undefined
}

/**
 * Signs in with email and password. After success the browser loads the next page anew, so that
 * nothing of the signed-out state stays (spec §4).
 */
export function LoginForm({ email, next, mailWaits, emailField = null }: LoginFormProps) {
  /**
   * The email address of the last login that failed because the address is not verified yet. Null
   * if the last login did not fail for this reason.
   */
  const [unverified, setUnverified] = useState<string | null>(null)
  const form = useAuthForm({
    names,
    schema: account.login.body,
    send: async (body) => {
      setUnverified(null)
      try {
        await call('login', { body })
      } catch (error) {
        const isUnverified = error instanceof ApiError && error.code === 'EMAIL_NOT_VERIFIED'
        if (isUnverified) setUnverified(body.email)
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
    // The toast says all that is known. The field is marked and takes the focus, for another try.
    refusals: { INVALID_CREDENTIALS: { password: '' } },
  })

  return (
    <Form {...form}>
      {(busy) => (
        <>
          <TextField
            label="Email"
            name="email"
            type="email"
            inputMode="email"
            autoComplete="username"
            verbatim
            required
            defaultValue={email}
            ref={emailField}
            error={form.errors.email}
          />
          <PasswordField
            label="Password"
            name="password"
            autoComplete="current-password"
            required
            error={form.errors.password}
          />
          {unverified === null ? null : (
            <ResendVerification email={unverified} mailWaits={mailWaits} />
          )}
          <Button
            type="submit"
            variant="primary"
            size="large"
            wide
            pending={busy}
            pendingLabel="Signing in..."
          >
            Sign In
          </Button>
        </>
      )}
    </Form>
  )
}

/**
 * Offers to send the email that verifies an address again, after a login failed because the address
 * is not verified.
 */
function ResendVerification({
  email,
  mailWaits,
}: {
  email: string
  /** How the email reaches people if the server sends no mail; null if it sends mail. */
  mailWaits: string | null
}) {
  const [busy, setBusy] = useState(false)

  const resend = async () => {
    setBusy(true)
    try {
      const { message } = await call('resendVerification', { body: { email } })
      // The server's message says that the email was sent. If the server sends no mail, that is
      // untrue.
      if (mailWaits === null) toast({ title: 'Verification email sent', description: message })
      else toast({ title: 'Verification email written again', description: mailWaits })
    } catch (error) {
      const description = 'Failed to send the email. Please try again.'
      tellFailure({ failed: { title: 'Error', description } }, error)
    } finally {
      setBusy(false)
    }
  }

  return (
    <div className="rounded-control border border-edge p-4">
      <p className="font-[560]">Your email address is not verified yet</p>
      <p className="mt-1 mb-3 text-muted text-sm wrap-anywhere">
        {mailWaits === null
          ? `Open the link in the email that we sent to ${email}.`
          : `Open the link in the email to ${email}. ${mailWaits}`}
      </p>
      <Button onClick={resend} pending={busy} pendingLabel="Sending...">
        Send the email again
      </Button>
    </div>
  )
}
