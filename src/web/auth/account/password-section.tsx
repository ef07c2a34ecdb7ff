import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Mail } from 'lucide-react'
import { useState } from 'react'
import { z } from 'zod'
import { ownAccount } from '../../../shared/contract/own-account.ts'
import { call } from '../../api/call.ts'
import { useSendsMail, useSupportEmail } from '../../api/public-values.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { PasswordField } from '../../ui/field.tsx'
import { Form, SubmitButton } from '../../ui/form.tsx'
import { Loading, Skeleton } from '../../ui/skeleton.tsx'
import { toast } from '../../ui/toast.tsx'
import {
  hasMatchingPasswords,
  NewPasswordFields,
  newPasswordToast,
} from '../new-password-fields.tsx'
import { noEmailNote } from '../no-email-note.ts'
import { showCallError, useAuthForm } from '../use-auth-form.ts'
import { ownSignInWaysQuery, sessionsQuery } from './account-queries.ts'

/**
 * Lets the user change the password. For an account without one, offers to email a link to set it.
 */
export function PasswordSection({ email }: { email: string }) {
  const { data: ways, isError } = useQuery(ownSignInWaysQuery)
  const hasPassword = ways ? ways.some(({ way }) => way === 'password') : isError
  return (
    <Card className="p-5 sm:p-6">
      {hasPassword ? (
        <ChangePasswordForm email={email} />
      ) : ways ? (
        <NoPassword email={email} />
      ) : (
        <Loading label="Loading">
          <Skeleton className="h-4 w-32" />
          <Skeleton className="mt-2 h-11 w-full" />
          <Skeleton className="mt-5 h-11 w-full" />
        </Loading>
      )}
    </Card>
  )
}

function NoPassword({ email }: { email: string }) {
  const sendsMail = useSendsMail() ?? true
  const deliveryNote = noEmailNote({ sendsMail, supportEmail: useSupportEmail() })
  const request = useMutation({
    mutationFn: () => call('POST /api/auth/forgot-password', { body: { email } }),
    onSuccess: ({ message }) =>
      toast({
        title: 'Password reset email sent',
        description: deliveryNote === null ? message : `${message} ${deliveryNote}`,
      }),
    onError: (error) =>
      showCallError(error, 'Error', 'Failed to send reset email. Please try again.'),
  })
  return (
    <>
      <p className="wrap-anywhere">
        This account has no password. The link in an email to {email} lets you set one; all sessions
        end with it, and you sign in again. {deliveryNote}
      </p>
      <div className="mt-5">
        <Button
          icon={<Mail />}
          pending={request.isPending}
          pendingLabel="Sending..."
          onClick={() => request.mutate()}
        >
          Send the email
        </Button>
      </div>
    </>
  )
}

const schema = ownAccount.changePassword.body
  .extend({ confirmPassword: z.string() })
  .refine(hasMatchingPasswords, { path: ['confirmPassword'] })

/** A form for changing the password. Remounts its fields after each change to clear them. */
function ChangePasswordForm({ email }: { email: string }) {
  const [changeCount, setChangeCount] = useState(0)
  const clearFields = () => {
    setChangeCount(changeCount + 1)
    // Remounting removed the focused field, so focus the heading.
    document.getElementById('password')?.focus()
  }
  return <ChangePasswordFields key={changeCount} email={email} onDone={clearFields} />
}

function ChangePasswordFields({ email, onDone }: { email: string; onDone: () => void }) {
  const client = useQueryClient()
  const form = useAuthForm({
    schema,
    errorToast: newPasswordToast,
    send: async ({ currentPassword, newPassword }) => {
      const { message } = await call('POST /api/auth/change-password', {
        body: { currentPassword, newPassword },
      })
      for (const { queryKey } of [sessionsQuery, ownSignInWaysQuery]) {
        void client.invalidateQueries({ queryKey })
      }
      toast({ title: 'Password changed', description: message })
      onDone()
    },
    failed: {
      title: 'Password not changed',
      description: 'Failed to change the password. Please try again.',
    },
    errorsByCode: wrongPasswordErrors,
  })

  return (
    <Form {...form}>
      <HiddenUsername email={email} />
      <PasswordField
        label="Current password"
        name="currentPassword"
        autoComplete="current-password"
        required
      />
      <div className="grid grid-cols-1 items-start gap-5 sm:grid-cols-2 sm:gap-4">
        <NewPasswordFields confirmLabel="Confirm new password" />
      </div>
      <div>
        <SubmitButton pendingLabel="Changing...">Change password</SubmitButton>
      </div>
    </Form>
  )
}

/** The field error for a wrong current password. */
export const wrongPasswordErrors = {
  WRONG_PASSWORD: { currentPassword: 'This is not your password.' },
}

/** A hidden input that tells password managers which account the form is for. */
export function HiddenUsername({ email }: { email: string }) {
  return <input type="text" autoComplete="username" value={email} readOnly hidden />
}
