import { z } from 'zod'
import { account, minPasswordLength } from '../../shared/contract/account.ts'
import { ApiError, call } from '../api/call.ts'
import { Button } from '../ui/button.tsx'
import { PasswordField } from '../ui/field.tsx'
import { Form } from '../ui/form.tsx'
import { toast } from '../ui/toast.tsx'
import { useAuthForm } from './use-auth-form.ts'

const names = ['newPassword', 'confirmPassword'] as const
type Values = Record<(typeof names)[number], string>

const schema = account.resetPassword.body
  .pick({ newPassword: true })
  .extend({ confirmPassword: z.string() })
  .refine(({ newPassword, confirmPassword }) => newPassword === confirmPassword, {
    path: ['confirmPassword'],
  })

export interface ResetPasswordFormProps {
  /** The token of the letter whose link opened this page. */
  token: string
  onDone: () => void
  /** Called when the token is unknown, expired or used. */
  onInvalid: () => void
}

/** Sets a new password (spec §5, reset password). */
export function ResetPasswordForm({ token, onDone, onInvalid }: ResetPasswordFormProps) {
  const form = useAuthForm({
    names,
    schema,
    faultToast,
    send: async ({ newPassword }) => {
      try {
        await call('resetPassword', { body: { token, newPassword } })
        toast({ title: 'Password reset successful!' })
        onDone()
      } catch (error) {
        if (!(error instanceof ApiError && error.code === 'TOKEN_INVALID')) throw error
        toast({
          title: 'Invalid reset link',
          description: 'This password reset link is invalid or expired.',
          tone: 'destructive',
        })
        onInvalid()
      }
      return 'leave'
    },
    failed: {
      title: 'Reset failed',
      description: 'Failed to reset password. Please try again.',
    },
    networkTitle: 'Network error',
  })

  return (
    <Form {...form}>
      {(busy) => (
        <>
          <PasswordField
            label="New password"
            name="newPassword"
            autoComplete="new-password"
            hint={`Must be at least ${minPasswordLength} characters long`}
            required
            error={form.errors.newPassword}
          />
          <PasswordField
            label="Confirm password"
            name="confirmPassword"
            autoComplete="new-password"
            required
            error={form.errors.confirmPassword}
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

/** Spec §5, reset password: two faults have a toast, in this order. */
function faultToast({ newPassword, confirmPassword }: Values) {
  if (newPassword !== confirmPassword) {
    return {
      title: "Passwords don't match",
      description: 'Please make sure both password fields match.',
    }
  }
  if (newPassword.length < minPasswordLength) {
    return {
      title: 'Password too short',
      description: `Password must be at least ${minPasswordLength} characters long.`,
    }
  }
  return null
}
