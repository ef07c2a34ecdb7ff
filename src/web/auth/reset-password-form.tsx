import { useState } from 'react'
import { account, minPasswordLength } from '../../shared/contract/account.ts'
import { ApiError, call, NetworkError, publicMessage } from '../api/call.ts'
import { Button } from '../ui/button.tsx'
import { PasswordField } from '../ui/field.tsx'
import { Form } from '../ui/form.tsx'
import { toast } from '../ui/toast.tsx'
import { faultsByField } from './faults.ts'
import { checkConnection } from './texts.ts'

const names = ['newPassword', 'confirmPassword'] as const
type Values = Record<(typeof names)[number], string>

export interface ResetPasswordFormProps {
  /** The token of the letter whose link opened this page. */
  token: string
  onDone: () => void
  /** Called when the token is unknown, expired or used. */
  onInvalid: () => void
}

/** Sets a new password (spec §5, reset password). */
export function ResetPasswordForm({ token, onDone, onInvalid }: ResetPasswordFormProps) {
  const [errors, setErrors] = useState<Partial<Values>>({})

  const reset = async (values: Values) => {
    const faults = faultsOf(token, values)
    setErrors(faults)
    if (Object.keys(faults).length > 0) {
      tellFaults(values)
      return 'stay'
    }
    try {
      await call('resetPassword', { body: { token, newPassword: values.newPassword } })
      toast({ title: 'Password reset successful!' })
      onDone()
      return 'leave'
    } catch (error) {
      tellFailure(error)
      const isInvalid = error instanceof ApiError && error.code === 'TOKEN_INVALID'
      if (isInvalid) onInvalid()
      return isInvalid ? 'leave' : 'stay'
    }
  }

  return (
    <Form names={names} errors={errors} onSubmit={reset}>
      {(busy) => (
        <>
          <PasswordField
            label="New password"
            name="newPassword"
            autoComplete="new-password"
            hint={`Must be at least ${minPasswordLength} characters long`}
            required
            error={errors.newPassword}
          />
          <PasswordField
            label="Confirm password"
            name="confirmPassword"
            autoComplete="new-password"
            required
            error={errors.confirmPassword}
          />
          <Button
            type="submit"
            variant="primary"
            size="large"
            wide
            pending={busy}
            pendingLabel="Resetting..."
          >
            Reset Password
          </Button>
        </>
      )}
    </Form>
  )
}

function faultsOf(token: string, values: Values): Partial<Values> {
  const { newPassword, confirmPassword } = values
  if (newPassword !== confirmPassword) {
    return { confirmPassword: 'This is not the password above.' }
  }
  const checked = account.resetPassword.body.safeParse({ token, newPassword })
  return checked.success ? {} : faultsByField(checked.error.issues, values)
}

/** Spec §5, reset password: shows the faults that need a toast besides the text at the field. */
function tellFaults({ newPassword, confirmPassword }: Values): void {
  if (newPassword !== confirmPassword) {
    toast({
      title: "Passwords don't match",
      description: 'Please make sure both password fields match.',
      tone: 'destructive',
    })
  } else if (newPassword.length < minPasswordLength) {
    toast({
      title: 'Password too short',
      description: `Password must be at least ${minPasswordLength} characters long.`,
      tone: 'destructive',
    })
  }
}

/** Spec §8: shows why a reset failed: the network, the link, or the server's reason. */
function tellFailure(error: unknown): void {
  if (error instanceof NetworkError) {
    toast({ title: 'Network error', description: checkConnection, tone: 'destructive' })
  } else if (error instanceof ApiError && error.code === 'TOKEN_INVALID') {
    toast({
      title: 'Invalid reset link',
      description: 'This password reset link is invalid or expired.',
      tone: 'destructive',
    })
  } else {
    toast({
      title: 'Reset failed',
      description: publicMessage(error) ?? 'Failed to reset password. Please try again.',
      tone: 'destructive',
    })
  }
}
