import { useState } from 'react'
import { z } from 'zod'
import { account } from '../../shared/contract/account.ts'
import { call, hasErrorCode, NetworkError } from '../api/call.ts'
import { Form, SubmitButton } from '../ui/form.tsx'
import { toast } from '../ui/toast.tsx'
import {
  hasMatchingPasswords,
  NewPasswordFields,
  newPasswordToast,
} from './new-password-fields.tsx'
import { networkErrorText, useAuthForm } from './use-auth-form.ts'

const schema = account.resetPassword.body
  .pick({ newPassword: true })
  .extend({ confirmPassword: z.string() })
  .refine(hasMatchingPasswords, { path: ['confirmPassword'] })

export interface ResetPasswordFormProps {
  /** The secret token from the email link that opened this page. */
  token: string
  onDone: () => void
  /** Called if the token is unknown, expired or already used. */
  onInvalid: () => void
}

/** Sets a new password (spec §5). */
export function ResetPasswordForm({ token, onDone, onInvalid }: ResetPasswordFormProps) {
  /** True if the last submit got no response. */
  const [isUnanswered, setUnanswered] = useState(false)
  const form = useAuthForm({
    schema,
    errorToast: newPasswordToast,
    send: async ({ newPassword }) => {
      try {
        await call('POST /api/auth/reset-password', { body: { token, newPassword } })
        toast({ title: 'Password reset successful!' })
        onDone()
      } catch (error) {
        setUnanswered(error instanceof NetworkError)
        if (!hasErrorCode(error, 'TOKEN_INVALID')) throw error
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
    <Form
      {...form}
      onSubmit={(values: z.input<typeof schema>) => {
        setUnanswered(false)
        return form.onSubmit(values)
      }}
    >
      <NewPasswordFields confirmLabel="Confirm password" />
      {isUnanswered ? <p className="text-red text-sm">{networkErrorText}</p> : null}
      <SubmitButton variant="primary" size="large" wide pendingLabel="Resetting...">
        Reset Password
      </SubmitButton>
    </Form>
  )
}
