import { useQueryClient } from '@tanstack/react-query'
import { Mail } from 'lucide-react'
import { useRef, useState } from 'react'
import { z } from 'zod'
import { ownAccount } from '../../../shared/contract/own-account.ts'
import { call } from '../../api/call.ts'
import { useSendsMail, useSupportEmail } from '../../api/public-values.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { PasswordField } from '../../ui/field.tsx'
import { Form } from '../../ui/form.tsx'
import { Loading, Skeleton } from '../../ui/skeleton.tsx'
import { toast } from '../../ui/toast.tsx'
import { isConfirmed, NewPasswordFields, newPasswordToast } from '../new-password-fields.tsx'
import { useAuthForm } from '../use-auth-form.ts'
import { mailWaits } from '../use-mail-waits.ts'
import { sessionsQuery } from './session-list.tsx'
import { ownWaysQuery, useRequestPasswordEmail, useWays } from './use-ways.ts'

/** Changes the password. If the account has none, it offers an email with a link to set one. */
export function PasswordSection({ email }: { email: string }) {
  const { ways, isFailed } = useWays()
  const hasPassword = ways ? ways.some(({ way }) => way === 'password') : isFailed
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
  const waits = mailWaits({ sendsMail, supportEmail: useSupportEmail() })
  const { mutate, isPending } = useRequestPasswordEmail(waits)
  return (
    <>
      <p className="wrap-anywhere">
        This account has no password. The link in an email to {email} lets you set one; all sessions
        end with it, and you sign in again. {waits}
      </p>
      <div className="mt-5">
        <Button
          icon={<Mail />}
          pending={isPending}
          pendingLabel="Sending..."
          onClick={() => mutate(email)}
        >
          Send the email
        </Button>
      </div>
    </>
  )
}

const names = ['currentPassword', 'newPassword', 'confirmPassword'] as const

const schema = ownAccount.changePassword.body
  .extend({ confirmPassword: z.string() })
  .refine(isConfirmed, { path: ['confirmPassword'] })

/** Changes the user's password. After that the fields are empty again. */
function ChangePasswordForm({ email }: { email: string }) {
  const [changes, setChanges] = useState(0)
  const place = useRef<HTMLDivElement>(null)
  const empty = () => {
    setChanges(changes + 1)
    // The focused field was replaced by a new one, so the focus moves to the section's heading.
    place.current?.closest('section')?.querySelector<HTMLElement>('h2')?.focus()
  }
  return (
    <div ref={place}>
      <Fields key={changes} email={email} onDone={empty} />
    </div>
  )
}

function Fields({ email, onDone }: { email: string; onDone: () => void }) {
  const client = useQueryClient()
  const form = useAuthForm({
    names,
    schema,
    errorToast: newPasswordToast,
    send: async ({ currentPassword, newPassword }) => {
      const { message } = await call('changePassword', { body: { currentPassword, newPassword } })
      for (const { queryKey } of [sessionsQuery, ownWaysQuery]) {
        void client.invalidateQueries({ queryKey })
      }
      toast({ title: 'Password changed', description: message })
      onDone()
      return 'stay'
    },
    failed: {
      title: 'Password not changed',
      description: 'Failed to change the password. Please try again.',
    },
    refusals: wrongPassword,
  })

  return (
    <Form {...form}>
      {(busy) => (
        <>
          <HiddenUsername email={email} />
          <PasswordField
            label="Current password"
            name="currentPassword"
            autoComplete="current-password"
            required
            error={form.errors.currentPassword}
          />
          <div className="grid grid-cols-1 items-start gap-5 sm:grid-cols-2 sm:gap-4">
            <NewPasswordFields errors={form.errors} confirmLabel="Confirm new password" />
          </div>
          <div>
            <Button type="submit" pending={busy} pendingLabel="Changing...">
              Change password
            </Button>
          </div>
        </>
      )}
    </Form>
  )
}

/** The text at the field when the server refuses the current password. */
export const wrongPassword = {
  WRONG_PASSWORD: { currentPassword: 'This is not your password.' },
}

/** An invisible input that tells password managers whose password the form is about. */
export function HiddenUsername({ email }: { email: string }) {
  return <input type="text" autoComplete="username" value={email} readOnly hidden />
}
